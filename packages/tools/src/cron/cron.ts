// CronCreate, CronList and CronDelete: prompts for later. The caller keeps the jobs and fires them.

import { withoutReminderTags } from "@keelson/protocol";
import { boolean, defineTool, object, optional, string, ToolError, type Tool } from "@keelson/engine";
import createDescription from "./cron-create.md" with { type: "text" };
import deleteDescription from "./cron-delete.md" with { type: "text" };
import listDescription from "./cron-list.md" with { type: "text" };
import type { ListedJob, ScheduleKeeper } from "./schedule-keeper.ts";

interface CronCreateInput {
  readonly cron: string;
  readonly prompt: string;
  readonly recurring?: boolean;
  readonly durable?: boolean;
}

interface CronCreateOutput {
  readonly id: string;
  readonly humanSchedule: string;
  readonly recurring: boolean;
  readonly durable: boolean;
  readonly nextFireAt?: number;
}

export function cronCreateTool(keeper: ScheduleKeeper): Tool<CronCreateInput, CronCreateOutput> {
  return defineTool<CronCreateInput, CronCreateOutput>({
    name: "CronCreate",
    description: createDescription,
    input: object({
      cron: string('Five fields in local time: M H DoM Mon DoW, such as "*/15 * * * *"'),
      prompt: string("What to send each time", { minLength: 1, maxLength: 100_000 }),
      recurring: optional(boolean("Fire at every match (default), or only at the next one", { default: true })),
      durable: optional(boolean("Keep it in the project's file (default: in this session only)", { default: false })),
    }),

    /** Older models use the other name. */
    repair({ is_recurring, ...input }) {
      return is_recurring === undefined || input["recurring"] !== undefined
        ? input
        : { ...input, recurring: is_recurring };
    },
    check: ({ cron }) => keeper.checkNew(cron),
    describe: (input) => `${input.text("cron")}, ${input.text("prompt")}`,
    access: () => ({ kind: "none", makes: "job" }),

    async run({ cron, prompt, recurring = true, durable = false }, { owner }) {
      const job = { cron, prompt, recurring, durable };
      const { id, humanSchedule, nextFireAt } = await keeper.create(job, owner);
      return { id, humanSchedule, recurring, durable, ...(nextFireAt === undefined ? {} : { nextFireAt }) };
    },

    // Clients look for the first four words (docs/compatibility.md).
    show({ id, humanSchedule, recurring, durable, nextFireAt }) {
      const what = recurring ? "recurring job" : "one-shot task";
      const where = durable
        ? "It is saved in .claude/scheduled_tasks.json."
        : "It is not saved: it ends with this session.";
      const end = recurring ? "It ends after 7 days; CronDelete ends it sooner." : "It fires once.";
      const caveat = nextFireAt === undefined ? " It does not fire yet; CronList says why." : "";
      return `Scheduled ${what} ${id} (${humanSchedule}). ${where} ${end}${caveat}`;
    },
  });
}

interface CronListOutput {
  readonly jobs: readonly ListedJob[];
  /** Why jobs may be missing. */
  readonly problem?: string;
}

export function cronListTool(keeper: ScheduleKeeper): Tool<Record<string, never>, CronListOutput> {
  return defineTool<Record<string, never>, CronListOutput>({
    name: "CronList",
    description: listDescription,
    input: object({}),
    describe: () => "",
    parallelSafe: true,
    access: () => ({ kind: "none" }),
    run: () => keeper.list(),
    show({ jobs, problem }) {
      const lines = jobs.length === 0 ? ["No scheduled jobs."] : jobs.map(lineOf);
      return [...lines, ...(problem === undefined ? [] : [`(${oneLine(problem)})`])].join("\n");
    },
  });
}

function lineOf({ id, humanSchedule, recurring, durable, inactive, prompt }: ListedJob): string {
  const marks = [
    recurring ? "(recurring)" : "(one-shot)",
    ...(durable ? [] : ["[session-only]"]),
    ...(inactive === undefined ? [] : [`[does not fire: ${inactive}]`]),
  ];
  return `${id} — ${oneLine(humanSchedule)} ${marks.join(" ")}: ${oneLine(prompt)}`;
}

const LONGEST = 2_000;

/** A prompt out of a file must not look like another job, or like a word of ours. */
function oneLine(text: string): string {
  const line = withoutReminderTags(text.replace(/[\p{C}\s]+/gu, " ")).trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST).toWellFormed()}…` : line;
}

export function cronDeleteTool(keeper: ScheduleKeeper): Tool<{ id: string }, { id: string }> {
  return defineTool<{ id: string }, { id: string }>({
    name: "CronDelete",
    description: deleteDescription,
    input: object({ id: string("The id of the job") }),

    async check({ id }) {
      if (!(await keeper.list()).jobs.some((job) => job.id === id)) throw new ToolError(unknownJob(id));
    },
    describe: (input) => input.text("id"),
    access: () => ({ kind: "none" }),

    async run({ id }) {
      // It may have fired for the last time since.
      if (!(await keeper.delete(id))) throw new ToolError(unknownJob(id));
      return { id };
    },
    show: ({ id }) => `Cancelled job ${id}.`,
  });
}

const unknownJob = (id: string) => `No scheduled job with id '${id}'`;

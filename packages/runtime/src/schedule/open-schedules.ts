// The schedule stage of a session: its tools, and when its jobs may fire. What does the work is loaded when there is a job.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { trustFix, type Snapshot } from "@keelson/config";
import type { Tool } from "@keelson/engine";
import type { JsonObject } from "@keelson/protocol";
import { isVariableOn } from "@keelson/protocol";
import type { RuleBook } from "../gate/rule-book.ts";
import { cronCreateTool, cronDeleteTool, cronListTool, scheduleWakeupTool, type ScheduleKeeper } from "@keelson/tools";
import type { Machine } from "../machine/machine.ts";
import type { Storage } from "../session/storage.ts";
import type { SessionSchedules } from "./session-schedules.ts";

export interface ScheduleStage {
  readonly tools: readonly Tool[];
  /** Call when the session waits for input: from now on, a job may fire. */
  idle(): void;
  /** What hooks are told of the jobs when an agent stops. */
  hookFields(): JsonObject;
  /** Something is scheduled that only this session does. */
  hasJobs(): boolean;
  close(): void;
}

export function openSchedules(
  storage: Storage,
  { tasks, agentRules }: Pick<Machine, "tasks" | "agentRules">,
  ruleBook: Pick<RuleBook, "mode">,
): ScheduleStage {
  const { options, place, state, inbox } = storage;
  const { snapshot, session } = options;
  if (isVariableOn(snapshot.env["CLAUDE_CODE_DISABLE_CRON"])) return NO_SCHEDULES;
  const project = snapshot.flags.projectConfigRoot ?? snapshot.cwd;
  const file = join(project, ".claude", "scheduled_tasks.json");
  // A copy of a session leaves its jobs to the original, which may still be open.
  const loaded = session.fork ? undefined : place.loaded;
  const hasOwn = loaded && (loaded.schedules.length > 0 || loaded.wakeup);
  if (loaded && loaded.unprovenJobs > 0) {
    const what = loaded.unprovenJobs === 1 ? "1 scheduled job" : `${loaded.unprovenJobs} scheduled jobs`;
    options.warn(`${what} of this session will not fire: Keelson cannot verify who recorded them`);
  }
  let opened: SessionSchedules | undefined;
  let loading: Promise<SessionSchedules> | undefined;
  let closed = false;
  const load = async () => {
    const { SessionSchedules } = await import("./session-schedules.ts");
    const { heldJobs, recordJob } = await import("@keelson/config/jobs");
    opened = new SessionSchedules({
      ...storage,
      project,
      tasks,
      warn: options.warn,
      whyNotDurable: () => whyNotDurable(state.snapshot, project),
      modeOf: (owner) => (owner === undefined ? ruleBook.mode : (agentRules.get(owner)?.mode() ?? "dontAsk")),
      jobTrust: {
        held: (jobs, at) => heldJobs(jobs, at, state.snapshot),
        record: (job, at) => recordJob(job, at, project, state.snapshot),
      },
    });
    if (loaded) opened.resume(loaded);
    return opened;
  };
  const keeper = () => (loading ??= load());
  storage.onClear(() => opened?.clear());
  const lazy: ScheduleKeeper = {
    checkNew: async (cron) => (await keeper()).checkNew(cron),
    create: async (job, owner) => (await keeper()).create(job, owner),
    list: async () => (await keeper()).list(),
    delete: async (id) => (await keeper()).delete(id),
    wake: async (wakeup) => (await keeper()).wake(wakeup),
    cancelWake: async () => opened?.cancelWake(),
  };
  return {
    tools: [cronCreateTool(lazy), cronListTool(lazy), cronDeleteTool(lazy), scheduleWakeupTool(lazy)],
    idle() {
      if (closed || !inbox.takesPrompts) return;
      if (opened) return opened.idle();
      if (!hasOwn && (whyNotDurable(state.snapshot, project) !== undefined || !existsSync(file))) return;
      keeper().then(
        (schedules) => (closed ? undefined : schedules.idle()),
        (error: Error) => options.warn(`Scheduled jobs do not fire: ${error.message}`),
      );
    },
    hookFields: () => opened?.hookFields() ?? NO_SCHEDULES.hookFields(),
    hasJobs: () => opened?.hasJobs ?? false,
    close() {
      closed = true;
      opened?.close();
    },
  };
}

/** Of a session in which nothing can be scheduled. */
export const NO_SCHEDULES: ScheduleStage = {
  tools: [],
  idle: () => {},
  hookFields: () => ({ session_crons: [] }),
  hasJobs: () => false,
  close: () => {},
};

/** Why the jobs in the project's file do not fire; undefined if they do. */
function whyNotDurable({ trusted, flags }: Snapshot, project: string): string | undefined {
  if (!trusted) return `this folder is not trusted; to trust it, ${trustFix(project)}`;
  const isLeftOut = flags.settingSources !== undefined && !flags.settingSources.includes("project");
  if (isLeftOut || flags.bare || flags.safe) return "this session leaves out the project's configuration";
  return undefined;
}

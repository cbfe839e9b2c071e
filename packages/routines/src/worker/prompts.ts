// What a run is told: its task, and how it goes on after an interruption. Pure.

import type { RoutineRun, RunQuestion } from "../records/run.ts";
import type { RoutineDefinition } from "../records/routine.ts";
import { promptWithPayload } from "../triggers/payload.ts";
import type { RestoredRun } from "./restore.ts";

export function firstPrompt(routine: RoutineDefinition, run: RoutineRun): string {
  return promptWithPayload(routine.prompt, run.payload);
}

export interface Resumed {
  readonly restored: RestoredRun;
  /** Answered since the conversation stopped. */
  readonly answers: readonly RunQuestion[];
  readonly cwd: string;
  /** Undefined without a checkout. */
  readonly commit: string | undefined;
  /** The files are those of before. */
  readonly hasFiles: boolean;
}

export function resumePrompt({ restored, answers, cwd, commit, hasFiles }: Resumed): string {
  const asked = new Set(answers.map(({ request }) => request["tool_use_id"]));
  const open = restored.inFlight.filter(({ id }) => !asked.has(id));
  return [
    "This run was interrupted, and you continue it on another machine or in another process. Nothing that has a result above is to be done again.",
    placeText(cwd, commit, hasFiles),
    ...(open.length === 0
      ? []
      : [
          "These calls had not returned; they may or may not have taken effect, so check before you repeat one:",
          ...open.map(({ name, input }) => `- ${name} ${bounded(JSON.stringify(input))}`),
        ]),
    ...answers.map(answerText),
    "Continue with the task now.",
  ].join("\n");
}

function placeText(cwd: string, commit: string | undefined, hasFiles: boolean): string {
  if (commit === undefined)
    return `You work in ${cwd} now, which is empty: files from before the interruption are gone.`;
  if (hasFiles) {
    return `You work in ${cwd} now, with the commits and files as they were after the last call above that has a result; files that git ignores, and everything outside, are gone.`;
  }
  return `You work in ${cwd} now: a fresh checkout at ${commit.slice(0, 12)}. Files that were changed before the interruption and not pushed are gone; look at what is there before you continue, and make those changes again where they are missing.`;
}

function answerText({ request, answer }: RunQuestion): string {
  const what = `${String(request["tool_name"] ?? request["subtype"])} ${bounded(JSON.stringify(request["input"] ?? request["message"] ?? {}))}`;
  if (answer === null) return `You asked about ${what}. Nobody answered in time, so the answer is no.`;
  if (answer["behavior"] === "deny")
    return `You asked about ${what}. The answer is no: ${String(answer["message"] ?? "")}`;
  if (request["tool_name"] === "AskUserQuestion" || request["subtype"] === "elicitation") {
    return `You asked ${what}. The answer: ${bounded(JSON.stringify(answer["updatedInput"] ?? answer["content"] ?? answer))}. Do not ask again.`;
  }
  return `You asked to make the call ${what}, which was not made. It is approved: make it now, exactly like that.`;
}

const bounded = (text: string) => (text.length > 2_000 ? `${text.slice(0, 2_000)}…` : text);

// Calls of built-in tools through the whole program: what the model reads of each, and what clients get beside it.

import { expect } from "bun:test";
import { runKeelson, startMockModel, type ScriptedCall, type TemporaryHome } from "@keelson/testkit";
import { resultOf, STREAM, told, toolUseResults } from "../front-door.ts";

export const ALLOWED = ["--allowedTools", "Bash,Edit,NotebookEdit,Write"];

export const read = (file_path: string, more: object = {}): ScriptedCall => ({
  name: "Read",
  input: { file_path, ...more },
});
export const bash = (command: string, more: object = {}): ScriptedCall => ({
  name: "Bash",
  input: { command, ...more },
});

export interface Outcome {
  /** What the model read. */
  readonly shown: any;
  /** What clients got. */
  readonly result: any;
}

/** A step may need what the one before it said. */
export type Step = ScriptedCall | ((shown: string) => ScriptedCall);

/** Lets the model make these calls one after another, and tells what came of each. */
export async function carryOut(
  home: TemporaryHome,
  steps: readonly Step[],
  flags: readonly string[] = ALLOWED,
): Promise<Outcome[]> {
  await using model = await startMockModel([
    ...steps.map((step) => (body: any) => ({ calls: [typeof step === "function" ? step(last(body)) : step] })),
    { text: "done" },
  ]);
  const ended = await runKeelson(["-p", "go", ...STREAM, ...flags], { home, url: model.url });
  expect(resultOf(ended).result).toBe("done");
  const results = toolUseResults(ended);
  return steps.map((_, at) => ({ shown: told(model.requests[at + 1]!)[0].content, result: results[at] }));
}

export async function shownBy(
  home: TemporaryHome,
  steps: readonly Step[],
  flags?: readonly string[],
): Promise<unknown[]> {
  return (await carryOut(home, steps, flags)).map(({ shown }) => shown);
}

/** The last thing the model was told in this request, as text. */
export function last({ messages }: any): string {
  const block = messages.at(-1).content[0];
  return String(block.content ?? block.text);
}

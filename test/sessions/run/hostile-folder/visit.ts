// A session in a folder that someone else filled, and who it called.

import { expect } from "bun:test";
import { runKeelson, startMockModel, type MockModel, type ScriptedCall, type TemporaryHome } from "@keelson/testkit";
import { resultOf, STREAM, told } from "../../front-door.ts";

export const bash = (command: string): ScriptedCall => ({ name: "Bash", input: { command } });
export const write = (file_path: string): ScriptedCall => ({ name: "Write", input: { file_path, content: "x" } });

type Verdict = "ran" | "denied" | "failed";

/** Lets the model make these calls in one reply, and tells what became of each. */
export async function visit(
  home: TemporaryHome,
  calls: readonly ScriptedCall[],
  flags: readonly string[] = [],
  env: Record<string, string> = {},
  cwd?: string,
  { text = false } = {},
) {
  await using model = await startMockModel([{ calls }, { text: "done" }]);
  const ended = await runKeelson(["-p", "go", ...(text ? [] : STREAM), ...flags], {
    home,
    url: model.url,
    env,
    ...(cwd === undefined ? {} : { cwd }),
  });
  const answers = model.requests[1] === undefined ? [] : told(model.requests[1]).slice(0, calls.length);
  const denials = text || answers.length === 0 ? [] : resultOf(ended).permission_denials;
  const denied = new Set(denials.map(({ tool_use_id }: any) => tool_use_id));
  const verdicts = answers.map(({ tool_use_id, is_error }): Verdict => {
    return denied.has(tool_use_id) ? "denied" : is_error ? "failed" : "ran";
  });
  return { ended, answers, verdicts, model };
}

export function trust(home: TemporaryHome): void {
  home.write("~/.claude.json", { projects: { [home.project]: { hasTrustDialogAccepted: true } } });
}

export function nobodyCalled(trap: MockModel): void {
  expect([trap.requests.length, trap.others.length]).toEqual([0, 0]);
}

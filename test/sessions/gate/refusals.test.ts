// What the model reads when a call is refused, and what the user reads: each learns what they can do about it.

import { expect, test } from "bun:test";
import { join } from "node:path";
import {
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  type ScriptedCall,
  type TemporaryHome,
} from "@keelson/testkit";
import { answer, CHAT, prompt, told } from "../front-door.ts";

const bash = (command: string): ScriptedCall => ({ name: "Bash", input: { command } });
const write = (file_path: string): ScriptedCall => ({ name: "Write", input: { file_path, content: "x" } });

const NOBODY = "No one is available to approve it in this session.";

test("in plan mode the model is told to put a change into the plan", async () => {
  using home = temporaryHome();
  const path = join(home.project, "a.txt");
  const { results, stderr } = await refusals(
    home,
    [write("a.txt"), bash("touch b.txt")],
    ["--permission-mode", "plan"],
  );
  expect(results).toEqual([
    `Cannot write to ${path} while in plan mode. Plan mode changes nothing: put the change into the plan.`,
    `This command requires approval. ${NOBODY} Do not retry it: put it into the plan if it belongs there, or go on without it, and say at the end what was left undone and that the rule Bash(touch b.txt) would allow it.`,
  ]);
  expect(stderr).toContain("to allow it, use the rule Bash(touch b.txt)");
});

test("calls that one rule would allow are one warning for the user", async () => {
  using home = temporaryHome();
  const { stderr } = await refusals(home, [bash("npm test"), bash("npm test"), bash("touch b.txt")]);
  expect(stderr.split("\n")).toEqual([
    expect.stringMatching(
      /^warning: Bash was not allowed: This command requires approval; to allow it, use the rule Bash\(npm test/,
    ),
    expect.stringContaining("Bash(touch b.txt)"),
    "",
  ]);
});

test("a denial without a reason gets a sentence, one with a reason keeps it", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ calls: [bash("touch a"), bash("touch b")] }, { text: "done" }]);
  const args = [...CHAT, "--permission-prompt-tool", "stdio"];
  await using running = startKeelson(args, { home, url: model.url, stdin: "open" });
  running.send(prompt("go"));
  for (const [at, message] of [" ", "Use make"].entries()) {
    const { json: asked } = await running.waitForLine(({ request }) => request?.tool_use_id === `call_1_${at + 1}`);
    running.send(answer(asked.request_id, { behavior: "deny", message }));
  }
  await running.waitForLine(({ result }: any) => result === "done");
  expect(told(model.requests[1]!).map(({ content }) => content)).toEqual([
    "The call was denied, and no reason was given. Do not repeat it: go on in another way, or say what you need it for.",
    "Use make",
  ]);
});

async function refusals(home: TemporaryHome, calls: readonly ScriptedCall[], flags: readonly string[] = []) {
  await using model = await startMockModel([{ calls }, { text: "done" }]);
  const { stderr } = await runKeelson(["-p", "go", ...flags], { home, url: model.url });
  const results = told(model.requests[1]!).slice(0, calls.length);
  expect(results.map(({ is_error }) => is_error)).toEqual(calls.map(() => true));
  return { results: results.map(({ content }) => content), stderr };
}

// What each mode runs, asks and refuses when a person can answer; and what searches show of files no one may read.
// Every question is answered with no: commands here would be harmless, but what counts is whether they are asked about.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  type ScriptedCall,
  type Running,
  type TemporaryHome,
} from "@keelson/testkit";
import { answer, CHAT, control, prompt, STREAM, told } from "../front-door.ts";

const bash = (command: string): ScriptedCall => ({ name: "Bash", input: { command } });
const read = (file_path: string): ScriptedCall => ({ name: "Read", input: { file_path } });
const write = (file_path: string): ScriptedCall => ({ name: "Write", input: { file_path, content: "x" } });

type Fate = "runs" | "asked" | "refused";

const CLASSES = [
  "look inside",
  "look outside",
  "edit inside",
  "edit outside",
  "protected",
  "looking command",
  "file command",
  "other command",
  "allowed command",
] as const;

test.each<[string, readonly Fate[]]>([
  ["default", ["runs", "asked", "asked", "asked", "asked", "runs", "asked", "asked", "runs"]],
  ["acceptEdits", ["runs", "asked", "runs", "asked", "asked", "runs", "runs", "asked", "runs"]],
  ["plan", ["runs", "asked", "asked", "asked", "asked", "runs", "asked", "asked", "runs"]],
  ["dontAsk", ["runs", "refused", "refused", "refused", "refused", "runs", "refused", "refused", "runs"]],
  ["bypassPermissions", ["runs", "runs", "runs", "runs", "runs", "runs", "runs", "runs", "runs"]],
])("mode %s, class by class", async (mode, fates) => {
  using home = temporaryHome();
  home.write("in.txt", "inside");
  const outside = home.write("~/out.txt", "outside");
  const calls = [
    read("in.txt"),
    read(outside),
    write("a.txt"),
    write(join(home.home, "new.txt")),
    write(".husky/pre-commit"),
    bash("cat in.txt"),
    bash("mkdir made"),
    bash("node --eval 1"),
    bash("touch allowed.txt"),
  ];
  const flags = ["--permission-mode", mode, "--allowedTools", "Bash(touch allowed.txt)"];
  const found = await fatesOf(home, calls, flags, { IS_SANDBOX: "1" });
  expect(Object.fromEntries(CLASSES.map((name, at) => [name, found[at]]))).toEqual(
    Object.fromEntries(CLASSES.map((name, at) => [name, fates[at]])),
  );
});

test("what must not go without a word is asked about in every mode, and denied where nobody is asked", async () => {
  // Not even without a gate would these do anything: the root cannot be removed, and the other is no command.
  const calls = [bash("rmdir /"), bash("true; (rmdir /)"), bash("'unterminated")];
  for (const [mode, fate] of [
    ["bypassPermissions", "asked"],
    ["acceptEdits", "asked"],
    ["dontAsk", "refused"],
  ] as const) {
    using home = temporaryHome();
    const flags = ["--permission-mode", mode, "--allowedTools", "Bash"];
    expect([mode, await fatesOf(home, calls, flags, { IS_SANDBOX: "1" })]).toEqual([mode, calls.map(() => fate)]);
  }
});

test("a mode that is switched while the session runs counts from the next call on", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    { calls: [write("a.txt")] },
    { text: "one" },
    { calls: [write("b.txt")] },
    { text: "two" },
  ]);
  await using program = startKeelson([...CHAT, ...ASKING], { home, url: model.url, stdin: "open" });
  program.send(prompt("first"));
  expect(await questionsOf(program)).toEqual(["call_1_1"]);
  program.send(control("switch", { subtype: "set_permission_mode", mode: "acceptEdits" }));
  await program.waitForLine(({ type, response }) => type === "control_response" && response.request_id === "switch");
  program.send(prompt("second"));
  await program.waitForLine(({ type, result }) => type === "result" && result === "two");
  program.closeStdin();
  await program.done;
  expect([existsSync(join(home.project, "a.txt")), existsSync(join(home.project, "b.txt"))]).toEqual([false, true]);
});

test("searches show nothing of files that may not be read", async () => {
  using home = temporaryHome();
  home.write("open.txt", "the needle\n");
  home.write("sub/.env", "the needle and the key\n");
  home.write("secrets/a.txt", "the needle and the key\n");
  home.settings({ permissions: { deny: ["Read(.env)"] } });
  home.write(".claude/settings.json", { permissions: { deny: ["Read(/secrets/**)"] } });
  const grep = (output_mode: string, more: object = {}): ScriptedCall => ({
    name: "Grep",
    input: { pattern: "needle", output_mode, ...more },
  });
  const calls: ScriptedCall[] = [
    grep("files_with_matches"),
    grep("content", { "-C": 1 }),
    grep("count"),
    { name: "Glob", input: { pattern: "**/*.txt" } },
    { name: "Glob", input: { pattern: "**/.env" } },
  ];
  await using model = await startMockModel([{ calls }, { text: "done" }]);
  await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });
  expect(told(model.requests[1]!).map(({ content }) => content)).toEqual([
    "Found 1 file\nopen.txt",
    "open.txt:1:the needle",
    "open.txt:1\n\nFound 1 total occurrence across 1 file.",
    "open.txt",
    "No files found",
  ]);
});

const ASKING = ["--permission-prompt-tool", "stdio"];

/** Lets the model make these calls, says no to every question, and tells what became of each call. */
async function fatesOf(
  home: TemporaryHome,
  calls: readonly ScriptedCall[],
  flags: readonly string[],
  env: Record<string, string>,
): Promise<Fate[]> {
  await using model = await startMockModel([{ calls }, { text: "done" }]);
  await using program = startKeelson([...CHAT, ...ASKING, ...flags], { home, url: model.url, stdin: "open", env });
  program.send(prompt("go"));
  const asked = await questionsOf(program);
  program.closeStdin();
  await program.done;
  return told(model.requests[1]!)
    .slice(0, calls.length)
    .map(({ tool_use_id, is_error }): Fate => (asked.includes(tool_use_id) ? "asked" : is_error ? "refused" : "runs"));
}

/** Says no to every question until the run has ended; the calls that were asked about. */
async function questionsOf(program: Running): Promise<string[]> {
  const asked: string[] = [];
  const relevant = (json: any) => json.type === "result" || json.type === "control_request";
  let line = await program.waitForLine(relevant);
  while (line.json.type !== "result") {
    asked.push(line.json.request.tool_use_id);
    program.send(answer(line.json.request_id, { behavior: "deny", message: "no" }));
    line = await program.waitForLine(relevant, { after: line });
  }
  return asked;
}

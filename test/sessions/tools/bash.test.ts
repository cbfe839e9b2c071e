// Bash, and its commands in the background, through the whole program.

import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import {
  chainProblems,
  readTranscript,
  runKeelson,
  startMockModel,
  temporaryHome,
  type TemporaryHome,
} from "@keelson/testkit";
import { kindOf, messagesOf, resultOf, spoken, STREAM, told, toolUseResults } from "../front-door.ts";
import { isRunning } from "../processes.ts";
import { ALLOWED, bash, carryOut, last, read, shownBy } from "./carry-out.ts";

test("Bash: output, exit codes and what some of them mean", async () => {
  using home = temporaryHome();
  home.write("a.txt", "one\n");
  const outcome = await carryOut(home, [
    bash("echo out; echo err >&2"),
    bash("true"),
    bash("echo before; exit 3"),
    bash("grep zzz a.txt"),
    bash("cat"),
  ]);
  expect(outcome).toEqual([
    {
      shown: "out\nerr",
      result: { stdout: "out\nerr", stderr: "", interrupted: false, isImage: false, noOutputExpected: false },
    },
    {
      shown: "(Bash completed with no output)",
      result: expect.objectContaining({ stdout: "", noOutputExpected: expect.any(Boolean) }),
    },
    { shown: "Exit code 3\nbefore", result: "Error: Exit code 3\nbefore" },
    { shown: "No matches found", result: expect.objectContaining({ returnCodeInterpretation: "No matches found" }) },
    // Nobody is there to type.
    { shown: "(Bash completed with no output)", result: expect.anything() },
  ]);
});

test("Bash: the folder persists, variables do not, and outside the working directories it is reset", async () => {
  using home = temporaryHome();
  home.write("sub/keep.txt", "kept");
  const shown = await shownBy(home, [
    bash("cd sub && export SEEN=1 && pwd"),
    bash('pwd; echo "[$SEEN]"'),
    read("keep.txt"),
    bash("cd /"),
    bash("pwd"),
  ]);
  expect(shown).toEqual([
    `${home.project}/sub`,
    `${home.project}/sub\n[]`,
    "1\tkept",
    `Shell cwd was reset to ${home.project}`,
    home.project,
  ]);
});

test("Bash: what a command may know of us, and what not", async () => {
  using home = temporaryHome();
  const [shown] = await shownBy(home, [bash("env")]);
  expect(shown).toContain("CLAUDECODE=1");
  expect(shown).toContain("CLAUDE_CODE_ENTRYPOINT=sdk-cli");
  expect(shown).not.toContain("ANTHROPIC_API_KEY");
  expect(shown).not.toContain("test-key");
  expect(shown).not.toMatch(/^BUN_/m);
});

test("Bash: a command that takes too long is ended with everything it started", async () => {
  using home = temporaryHome();
  const [outcome] = await carryOut(home, [bash("echo begun; sleep 600 & sleep 600", { timeout: 500 })]);
  expect(outcome).toEqual({
    shown:
      "Exit code 143\nCommand timed out after 0.5s\nIf it needs more time, set timeout to more than 500 (at most 600000) or use run_in_background.\nbegun",
    result:
      "Error: Exit code 143\nCommand timed out after 0.5s\nIf it needs more time, set timeout to more than 500 (at most 600000) or use run_in_background.\nbegun",
  });
});

test("Bash: output too large to show is kept in a file that Read may open", async () => {
  using home = temporaryHome();
  let path = "";
  const outcome = await carryOut(home, [
    bash("seq 1 20000"),
    (shown) => {
      path = /Full output saved to: (.+)/.exec(shown)![1]!;
      return read(path, { offset: 19_999, limit: 2 });
    },
  ]);
  const [large, rest] = outcome;
  expect(large!.shown).toMatch(
    /^<persisted-output>\nOutput too large \(106\.3KB\)\. Full output saved to: .+\nRead the part .+\n\n1\n2\n[^]+\n…\n[^]+\n19999\n20000\n<\/persisted-output>$/,
  );
  expect(large!.result).toMatchObject({ persistedOutputPath: path, persistedOutputSize: 108_894, interrupted: false });
  expect(large!.result.stdout.length).toBeLessThanOrEqual(30_000);
  expect(path).toStartWith(join(home.configDir, "projects"));
  expect(statSync(path).mode & 0o077).toBe(0);
  expect(rest!.shown).toBe("19999\t19999\n20000\t20000");
});

test("Bash in the background: an id at once, TaskOutput for what it wrote, a notice when it ends", async () => {
  using home = temporaryHome();
  let id = "";
  await using model = await startMockModel([
    { calls: [bash("read line < pipe; echo got $line", { run_in_background: true, description: "listen" })] },
    (body: any) => {
      id = /with ID: (\S+)\./.exec(last(body))![1]!;
      return { calls: [{ name: "TaskOutput", input: { task_id: id, block: false } }] };
    },
    { calls: [bash("echo hello > pipe")] },
    () => ({ calls: [{ name: "TaskOutput", input: { task_id: id } }] }),
    { text: "done" },
  ]);
  await shellOutside(home, "mkfifo pipe");

  const ended = await runKeelson(["-p", "go", ...STREAM, ...ALLOWED], { home, url: model.url });

  const [begun, early, , late] = toolUseResults(ended);
  expect(begun).toMatchObject({ backgroundTaskId: id, stdout: "", interrupted: false });
  expect(told(model.requests[1]!)[0].content).toMatch(
    /^Command running in background with ID: \S+\. Output is being written to: \S+\/tasks\/\S+\.output\. You will be notified when it completes\. To check interim output, use Read on that file path\.$/,
  );
  expect(early).toMatchObject({ retrieval_status: "not_ready", task: { task_id: id, status: "running" } });
  expect(late).toEqual({
    retrieval_status: "success",
    task: {
      task_id: id,
      task_type: "local_bash",
      status: "completed",
      description: "listen",
      output: "got hello\n",
      exitCode: 0,
    },
  });
  const kinds = ended.messages
    .map(kindOf)
    .filter((kind) => kind.startsWith("system/task") || kind.includes("background"));
  expect(kinds).toEqual([
    "system/background_tasks_changed",
    "system/task_started",
    "system/task_updated",
    "system/task_notification",
    "system/background_tasks_changed",
  ]);
  expect(messagesOf(ended, "system/task_started")[0]).toMatchObject({
    task_id: id,
    tool_use_id: "call_1_1",
    description: "listen",
    task_type: "local_bash",
  });
  expect(messagesOf(ended, "system/task_notification")[0]).toMatchObject({
    task_id: id,
    tool_use_id: "call_1_1",
    status: "completed",
    output_file: expect.stringMatching(/\.output$/),
    summary: 'Background command "listen" completed (exit code 0)',
  });
  // The model hears of it without asking, once.
  const notices = JSON.stringify(spoken(model.requests[4]!)).match(/<task-notification>/g);
  expect(notices).toHaveLength(1);
  expect(chainProblems(readTranscript(home))).toEqual([]);
});

test("TaskStop ends a background command; what still runs at the end is ended too", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    { calls: [bash("echo $$ > one.pid; exec sleep 60", { run_in_background: true, description: "one" })] },
    (body: any) => ({ calls: [{ name: "TaskStop", input: { task_id: /with ID: (\S+)\./.exec(last(body))![1]! } }] }),
    {
      calls: [
        bash("echo $$ > two.pid; exec sleep 60", { run_in_background: true, description: "two" }),
        bash("until [ -s two.pid ]; do sleep 0.05; done"),
        { name: "TaskStop", input: { task_id: "nope" } },
        { name: "TaskStop", input: {} },
      ],
    },
    { text: "done" },
  ]);

  const ended = await runKeelson(["-p", "go", ...STREAM, ...ALLOWED], { home, url: model.url });

  const [begun, stopped] = toolUseResults(ended);
  expect(stopped).toEqual({
    message: expect.stringContaining(begun.backgroundTaskId),
    task_id: begun.backgroundTaskId,
    task_type: "local_bash",
    command: "echo $$ > one.pid; exec sleep 60",
  });
  expect(told(model.requests[3]!).slice(2, 4)).toMatchObject([
    { content: "<tool_use_error>No task found with ID: nope</tool_use_error>", is_error: true },
    { content: "<tool_use_error>Missing required parameter: task_id</tool_use_error>", is_error: true },
  ]);
  expect(messagesOf(ended, "system/task_updated").map(({ patch }) => patch.status)).toEqual(["killed", "killed"]);
  expect(messagesOf(ended, "system/task_notification").map(({ status }) => status)).toEqual(["stopped", "stopped"]);
  expect(isRunning(Number(home.read("two.pid")))).toBe(false);
  expect(resultOf(ended).result).toBe("done");
});

async function shellOutside(home: TemporaryHome, command: string): Promise<void> {
  const { exitCode } = Bun.spawnSync(["bash", "-c", command], { cwd: home.project, env: home.env });
  expect(exitCode).toBe(0);
}

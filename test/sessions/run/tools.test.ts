// Every built-in tool once through the whole program: what the model reads of a call, and what clients get beside it.

import { expect, test } from "bun:test";
import { existsSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  chainProblems,
  readTranscript,
  runKeelson,
  startMockModel,
  temporaryHome,
  type ScriptedCall,
  type TemporaryHome,
} from "@keelson/testkit";
import { kindOf, messagesOf, resultOf, spoken, STREAM, told, toolUseResults } from "../front-door.ts";

const ALLOWED = ["--allowedTools", "Bash,Edit,NotebookEdit,Write"];
const CURRENT = "(file state is current in your context — no need to Read it back)";

const read = (file_path: string, more: object = {}): ScriptedCall => ({ name: "Read", input: { file_path, ...more } });
const bash = (command: string, more: object = {}): ScriptedCall => ({ name: "Bash", input: { command, ...more } });
const write = (file_path: string, content: string): ScriptedCall => ({ name: "Write", input: { file_path, content } });
const edit = (file_path: string, old_string: string, new_string: string, more: object = {}): ScriptedCall => ({
  name: "Edit",
  input: { file_path, old_string, new_string, ...more },
});

test("Read: text with line numbers, a range, an end that is not there", async () => {
  using home = temporaryHome();
  const filePath = home.write("a.txt", "one\r\ntwo\r\nthree\r\n");
  const outcome = await carryOut(home, [
    read("a.txt"),
    read(filePath, { offset: 2, limit: 1 }),
    // A number in quotes is a number.
    read("a.txt", { offset: "9" }),
  ]);
  expect(outcome).toEqual([
    {
      shown: "1\tone\n2\ttwo\n3\tthree\n4\t",
      result: {
        type: "text",
        file: { filePath, content: "one\ntwo\nthree\n", numLines: 4, startLine: 1, totalLines: 4 },
      },
    },
    {
      shown: "2\ttwo",
      result: { type: "text", file: { filePath, content: "two", numLines: 1, startLine: 2, totalLines: 4 } },
    },
    {
      shown:
        "<system-reminder>Warning: the file exists but is shorter than the provided offset (9). The file has 4 lines.</system-reminder>",
      result: expect.objectContaining({ type: "text" }),
    },
  ]);
});

test("Read: what is not there, a folder, a device, a binary", async () => {
  using home = temporaryHome();
  home.write("notes.txt", "x");
  home.write("a.dat", new Uint8Array([0, 1, 2]));
  const shown = await shownBy(
    home,
    [read("note.txt"), read("."), read("/dev/zero"), read("a.dat")],
    ["--allowedTools", "Read"],
  );
  expect(shown).toEqual([
    `File does not exist. Note: your current working directory is ${home.project}. Did you mean notes.txt?`,
    expect.stringMatching(/^EISDIR: illegal operation on a directory, read '.+'$/),
    "<tool_use_error>Cannot read '/dev/zero': this device file would block or produce infinite output.</tool_use_error>",
    "<tool_use_error>This tool cannot read binary files. The file appears to be a binary .dat file. Please use appropriate tools for binary file analysis.</tool_use_error>",
  ]);
});

test("Read: an image is an image", async () => {
  using home = temporaryHome();
  home.write("dot.png", Buffer.from(PIXEL, "base64"));
  const [outcome] = await carryOut(home, [read("dot.png")]);
  expect(outcome).toEqual({
    shown: [{ type: "image", source: { type: "base64", data: PIXEL, media_type: "image/png" } }],
    result: {
      type: "image",
      file: expect.objectContaining({
        base64: PIXEL,
        type: "image/png",
        originalSize: Buffer.from(PIXEL, "base64").length,
      }),
    },
  });
});

test("Read: a PDF is a document beside its result", async () => {
  using home = temporaryHome();
  const filePath = home.write("a.pdf", "%PDF-1.4\nabc");
  const base64 = Buffer.from("%PDF-1.4\nabc").toString("base64");
  await using model = await startMockModel([{ calls: [read("a.pdf")] }, { text: "done" }]);

  const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });

  expect(unmarked(told(model.requests[1]!))).toEqual([
    {
      tool_use_id: "call_1_1",
      type: "tool_result",
      content: [{ type: "text", text: `PDF file read: ${filePath} (12 bytes)` }],
      is_error: false,
    },
    { type: "document", source: { type: "base64", media_type: "application/pdf", data: base64 } },
  ]);
  expect(toolUseResults(ended)).toEqual([{ type: "pdf", file: { filePath, base64, originalSize: 12 } }]);
});

const NOTEBOOK = {
  cells: [
    { cell_type: "code", id: "c1", source: ["print(1)"], metadata: {}, execution_count: 3, outputs: [OUTPUT("1\n")] },
    { cell_type: "markdown", id: "m1", source: ["# Title"], metadata: {} },
  ],
  metadata: { language_info: { name: "python" } },
  nbformat: 4,
  nbformat_minor: 5,
};

test("Read and NotebookEdit: cells are read by id, replaced, inserted and deleted", async () => {
  using home = temporaryHome();
  const path = home.write("n.ipynb", NOTEBOOK);
  const cell = (input: object): ScriptedCall => ({
    name: "NotebookEdit",
    input: { notebook_path: path, new_source: "", ...input },
  });
  const outcome = await carryOut(home, [
    cell({ cell_id: "c1", new_source: "print(2)" }),
    read("n.ipynb"),
    cell({ cell_id: "c1", new_source: "print(3)" }),
    cell({ cell_id: "c1", new_source: "y", cell_type: "markdown", edit_mode: "insert" }),
    cell({ cell_id: "m1", edit_mode: "delete" }),
    cell({ cell_id: "nope" }),
  ]);
  expect(outcome.map(({ shown }) => shown)).toEqual([
    "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>",
    [
      {
        type: "text",
        text: expect.stringMatching(
          /<cell id="c1">print\(1\)<\/cell id="c1">[^]*1[^]*<cell id="m1"><cell_type>markdown<\/cell_type># Title<\/cell id="m1">/,
        ),
      },
    ],
    "Updated cell c1 with print(3)",
    expect.stringMatching(/^Inserted cell \S+ with y$/),
    "Deleted cell m1",
    '<tool_use_error>Cell with ID "nope" not found in notebook.</tool_use_error>',
  ]);
  expect(outcome[1]!.result).toMatchObject({
    type: "notebook",
    file: {
      filePath: path,
      cells: [
        { cellType: "code", cell_id: "c1" },
        { cellType: "markdown", cell_id: "m1" },
      ],
    },
  });
  expect(outcome[2]!.result).toMatchObject({
    new_source: "print(3)",
    cell_type: "code",
    language: "python",
    edit_mode: "replace",
    cell_id: "c1",
    error: "",
    notebook_path: path,
  });
  const { cells } = JSON.parse(home.read("n.ipynb"));
  expect(cells).toMatchObject([
    { id: "c1", cell_type: "code", execution_count: null, outputs: [] },
    { cell_type: "markdown" },
  ]);
  expect([cells[0].source, cells[1].source].map((source) => [source].flat().join(""))).toEqual(["print(3)", "y"]);
});

test("Write: a new file with its folders, over a file only when that was read and is unchanged", async () => {
  using home = temporaryHome();
  const deep = join(home.project, "deep/er/a.txt");
  const old = home.write("old.txt", "old\n");
  const outcome = await carryOut(home, [
    write(deep, "hello"),
    write("old.txt", "new"),
    read("old.txt"),
    () => {
      changeBehindItsBack(old, "somebody else\n");
      return write("old.txt", "new\n");
    },
    read("old.txt"),
    write("old.txt", "new\n"),
    // Its own writing counts as having seen it.
    write("old.txt", "newer\n"),
  ]);
  expect(outcome.map(({ shown }) => shown)).toEqual([
    `File created successfully at: ${deep} ${CURRENT}`,
    "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>",
    "1\told\n2\t",
    "<tool_use_error>File has been modified since read, either by the user or by a linter. Read it again before attempting to write it.</tool_use_error>",
    "1\tsomebody else\n2\t",
    `The file ${old} has been updated successfully. ${CURRENT}`,
    `The file ${old} has been updated successfully. ${CURRENT}`,
  ]);
  expect(outcome[0]!.result).toMatchObject({
    type: "create",
    filePath: deep,
    content: "hello",
    structuredPatch: [],
    originalFile: null,
  });
  expect(outcome[5]!.result).toMatchObject({
    type: "update",
    filePath: old,
    content: "new\n",
    originalFile: "somebody else\n",
    structuredPatch: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-somebody else", "+new"] }],
  });
  expect([readFileSync(deep, "utf8"), home.read("old.txt")]).toEqual(["hello", "newer\n"]);
});

test("Edit: read first, found once, or everywhere when asked; anything else changes nothing", async () => {
  using home = temporaryHome();
  const path = home.write("a.txt", "one two\r\ntwo\r\n");
  const outcome = await carryOut(home, [
    edit("a.txt", "one", "1"),
    read("a.txt", { limit: 1 }),
    edit("a.txt", "two", "2"),
    edit("a.txt", "zzz", "2"),
    edit("a.txt", "one", "one"),
    edit("gone.txt", "a", "b"),
    edit("a.txt", "one two\ntwo", "1 two\ntwo"),
    edit("a.txt", "two", "2", { replace_all: true }),
    () => {
      changeBehindItsBack(path, "rewritten\n");
      return edit("a.txt", "1", "one");
    },
  ]);
  expect(outcome.map(({ shown }) => shown)).toEqual([
    "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>",
    "1\tone two",
    "<tool_use_error>Found 2 matches of the string to replace, but replace_all is false. To replace all occurrences, set replace_all to true. To replace only one occurrence, please provide more context to uniquely identify the instance.\nString: two</tool_use_error>",
    "<tool_use_error>String to replace not found in file.\nString: zzz</tool_use_error>",
    "<tool_use_error>No changes to make: old_string and new_string are exactly the same.</tool_use_error>",
    `<tool_use_error>File does not exist. Note: your current working directory is ${home.project}.</tool_use_error>`,
    `The file ${path} has been updated successfully. ${CURRENT}`,
    `The file ${path} has been updated. All occurrences were successfully replaced. ${CURRENT}`,
    "<tool_use_error>File has been modified since read, either by the user or by a linter. Read it again before attempting to write it.</tool_use_error>",
  ]);
  expect(outcome[6]!.result).toMatchObject({
    filePath: path,
    oldString: "one two\ntwo",
    newString: "1 two\ntwo",
    replaceAll: false,
    userModified: false,
    structuredPatch: [expect.objectContaining({ oldStart: 1 })],
  });
  expect(outcome[2]!.result).toStartWith("Error: Found 2 matches");
  expect(home.read("a.txt")).toBe("rewritten\n");
});

test("Edit: line endings stay as they were", async () => {
  using home = temporaryHome();
  home.write("a.txt", "one\r\ntwo\r\n");
  await carryOut(home, [read("a.txt"), edit("a.txt", "one\ntwo", "1\n2")]);
  expect(home.read("a.txt")).toBe("1\r\n2\r\n");
});

test("Glob: oldest first, relative to where we are", async () => {
  using home = temporaryHome();
  for (const [at, name] of ["src/b.ts", "a.ts", "c.md"].entries()) {
    utimesSync(home.write(name, ""), 1_700_000_000 + at, 1_700_000_000 + at);
  }
  const outcome = await carryOut(home, [
    { name: "Glob", input: { pattern: "**/*.ts" } },
    { name: "Glob", input: { pattern: "*.zig" } },
    { name: "Glob", input: { pattern: "*", path: "nowhere" } },
  ]);
  expect(outcome.map(({ shown }) => shown)).toEqual([
    "src/b.ts\na.ts",
    "No files found",
    expect.stringContaining(`Directory does not exist: `),
  ]);
  expect(outcome[0]!.result).toMatchObject({
    filenames: ["src/b.ts", "a.ts"],
    numFiles: 2,
    truncated: false,
    durationMs: expect.any(Number),
  });
});

test("Grep: files, lines and counts", async () => {
  using home = temporaryHome();
  utimesSync(home.write("a.ts", "let x = 1;\nlet y = 2;\n"), 1_700_000_000, 1_700_000_000);
  utimesSync(home.write("b.ts", "const z = 3;\nlet w = 4;\n"), 1_700_000_100, 1_700_000_100);
  const grep = (pattern: string, more: object = {}): ScriptedCall => ({ name: "Grep", input: { pattern, ...more } });
  const outcome = await carryOut(home, [
    grep("let"),
    grep("let", { output_mode: "content", path: "a.ts" }),
    grep("LET", { output_mode: "content", "-i": true, head_limit: 1, glob: "b.*" }),
    grep("let", { output_mode: "count" }),
    grep("nothing like it"),
    grep("nothing like it", { output_mode: "content" }),
  ]);
  expect(outcome.map(({ shown }) => shown)).toEqual([
    "Found 2 files\nb.ts\na.ts",
    "1:let x = 1;\n2:let y = 2;",
    expect.stringMatching(/^b\.ts:2:let w = 4;/),
    expect.stringMatching(/^(a\.ts:2\nb\.ts:1|b\.ts:1\na\.ts:2)\n\nFound 3 total occurrences across 2 files\.$/),
    "No files found",
    "No matches found",
  ]);
  expect(outcome[0]!.result).toMatchObject({ mode: "files_with_matches", numFiles: 2, filenames: ["b.ts", "a.ts"] });
  expect(outcome[1]!.result).toMatchObject({ mode: "content", content: "1:let x = 1;\n2:let y = 2;", numLines: 2 });
  expect(outcome[3]!.result).toMatchObject({ mode: "count", numMatches: 3, numFiles: 2 });
});

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
    shown: "Exit code 143\nCommand timed out after 0.5s\nbegun",
    result: "Error: Exit code 143\nCommand timed out after 0.5s\nbegun",
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
    /^<persisted-output>\nOutput too large \(106\.3KB\)\. Full output saved to: .+\n\nPreview \(first 2KB\):\n1\n2\n[^]+\n\.\.\.\n<\/persisted-output>$/,
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

test("TodoWrite keeps the list, and forgets it when all is done", async () => {
  using home = temporaryHome();
  const todo = (status: string) => ({ content: "Fix it", status, activeForm: "Fixing it" });
  const list = (...todos: Record<string, string>[]): ScriptedCall => ({ name: "TodoWrite", input: { todos } });
  const outcome = await carryOut(home, [
    list({ ...todo("in_progress"), id: "1", priority: "high" }),
    list(todo("completed")),
    list(todo("pending")),
    list({ content: "x", status: "pending" }),
  ]);
  const text =
    "Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress. Please proceed with the current tasks if applicable";
  expect(outcome).toEqual([
    { shown: text, result: { oldTodos: [], newTodos: [todo("in_progress")] } },
    { shown: text, result: { oldTodos: [todo("in_progress")], newTodos: [todo("completed")] } },
    { shown: text, result: { oldTodos: [], newTodos: [todo("pending")] } },
    {
      shown: expect.stringContaining("The required parameter `todos[0].activeForm` is missing"),
      result: expect.stringMatching(/^InputValidationError: /),
    },
  ]);
});

test("a call that cannot be tried is answered with what is wrong with it", async () => {
  using home = temporaryHome();
  const outcome = await carryOut(home, [
    { name: "Teleport", input: { to: "Mars" } },
    { name: "Read", input: {} },
    { name: "Read", input: { file_path: "a.txt", colour: "red" } },
  ]);
  expect(outcome).toEqual([
    {
      shown: "<tool_use_error>Error: No such tool available: Teleport</tool_use_error>",
      result: "Error: No such tool available: Teleport",
    },
    {
      shown:
        "<tool_use_error>InputValidationError: Read failed due to the following issue:\nThe required parameter `file_path` is missing</tool_use_error>",
      result: expect.stringMatching(/^InputValidationError: /),
    },
    {
      shown: expect.stringContaining("An unexpected parameter `colour` was provided"),
      result: expect.stringMatching(/^InputValidationError: /),
    },
  ]);
});

test("a call is shown, kept and sent back with the input that the tool gets, unless that is not valid", async () => {
  using home = temporaryHome();
  home.write("a.txt", "one\ntwo\n");
  const file_path = join(home.project, "a.txt");
  const given = [
    { name: "Read", input: { file_path, limit: "2", offset: -1 } },
    { name: "Edit", input: { file_path, old_string: "two", new_string: "2  \n3" } },
    { name: "TodoWrite", input: { todos: [{ id: "1", content: "a", status: "pending", activeForm: "b" }] } },
    { name: "Glob", input: { pattern: "*", depth: "7" } },
  ];
  const repaired = [
    { file_path, limit: 2 },
    { replace_all: false, file_path, old_string: "two", new_string: "2\n3" },
    { todos: [{ content: "a", status: "pending", activeForm: "b" }] },
    given[3]!.input,
  ];
  await using model = await startMockModel([...given.map((call) => ({ calls: [call] })), { text: "done" }]);
  const flags = ["--allowedTools", "Edit"];
  const ended = await runKeelson(["-p", "go", ...STREAM, ...flags], { home, url: model.url });
  const inputsIn = (messages: readonly any[]) =>
    messages
      .flatMap(({ content }) => content)
      .flatMap((block: any) => (block.type === "tool_use" ? [block.input] : []));
  expect(inputsIn(messagesOf(ended, "assistant").map(({ message }) => message))).toEqual(repaired);
  expect(inputsIn(model.requests.at(-1)!.body.messages.filter(({ role }: any) => role === "assistant"))).toEqual(
    repaired,
  );
});

test("reads of one reply run side by side, and their answers come in the order of the calls", async () => {
  using home = temporaryHome();
  for (const name of ["a", "b", "c"]) home.write(`${name}.txt`, name);
  await using model = await startMockModel([
    { calls: ["a", "b", "c"].map((name) => read(`${name}.txt`)) },
    { text: "ok" },
  ]);
  await runKeelson(["-p", "go"], { home, url: model.url });
  expect(told(model.requests[1]!).map(({ content }) => content)).toEqual(["1\ta", "1\tb", "1\tc"]);
});

const ALL =
  "Agent Bash CronCreate CronDelete CronList Edit EnterWorktree ExitWorktree Glob Grep Monitor NotebookEdit Read ScheduleWakeup SendMessage Skill TaskOutput TaskStop TodoWrite WebFetch WebSearch Write".split(
    " ",
  );

test.each([
  [[], ALL],
  [
    ["--tools", "Read,Glob"],
    ["Glob", "Read"],
  ],
  [["--tools", "default"], ALL],
  [["--tools", ""], []],
  [
    ["--tools", "Read,Write,Bash", "--disallowedTools", "Write"],
    ["Bash", "Read"],
  ],
  // A rule about some commands does not take the tool away.
  [["--tools", "Bash", "--disallowedTools", "Bash(git push *)"], ["Bash"]],
])("%j offers these tools, to the model and to clients alike", async (flags, names) => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "ok" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM, ...flags], { home, url: model.url });
  expect((model.requests[0]!.body.tools ?? []).map(({ name }: any) => name)).toEqual(names);
  // Clients know Agent by its older name.
  const known = names.map((name) => (name === "Agent" ? "Task" : name));
  expect(messagesOf(ended, "system/init")[0].tools).toEqual(known);
});

test.each([
  [["--disallowedTools", "Bash"]],
  [["--tools", "Read"]],
  [["--settings", '{"permissions":{"deny":["Bash"]}}', "--allowedTools", "Bash"]],
])("a tool that is not offered (%j) does not run when it is called all the same", async (flags) => {
  using home = temporaryHome();
  const [shown] = await shownBy(home, [bash("touch made.txt")], flags);
  expect(shown).toStartWith(
    "<tool_use_error>Error: No such tool available: Bash. Bash exists but is not enabled in this context. ",
  );
  expect(existsSync(join(home.project, "made.txt"))).toBe(false);
});

interface Outcome {
  /** What the model read. */
  readonly shown: any;
  /** What clients got. */
  readonly result: any;
}

/** A step may need what the one before it said. */
type Step = ScriptedCall | ((shown: string) => ScriptedCall);

/** Lets the model make these calls one after another, and tells what came of each. */
async function carryOut(
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

async function shownBy(home: TemporaryHome, steps: readonly Step[], flags?: readonly string[]): Promise<unknown[]> {
  return (await carryOut(home, steps, flags)).map(({ shown }) => shown);
}

/** The last thing the model was told in this request, as text. */
function last({ messages }: any): string {
  const block = messages.at(-1).content[0];
  return String(block.content ?? block.text);
}

/** As an editor would: other content, and a time that cannot be mistaken for the old one. */
function changeBehindItsBack(path: string, content: string): void {
  writeFileSync(path, content);
  const later = Date.now() / 1000 + 5;
  utimesSync(path, later, later);
}

const unmarked = (value: unknown) =>
  JSON.parse(JSON.stringify(value, (key, inner) => (key === "cache_control" ? undefined : inner)));

async function shellOutside(home: TemporaryHome, command: string): Promise<void> {
  const { exitCode } = Bun.spawnSync(["bash", "-c", command], { cwd: home.project, env: home.env });
  expect(exitCode).toBe(0);
}

/** A process that has ended and only waits for its parent to notice is not running. */
function isRunning(pid: number): boolean {
  const { stdout } = Bun.spawnSync(["ps", "-o", "stat=", "-p", `${pid}`]);
  const state = stdout.toString().trim();
  return state !== "" && !state.startsWith("Z");
}

function OUTPUT(text: string) {
  return { output_type: "stream", name: "stdout", text: [text] };
}

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

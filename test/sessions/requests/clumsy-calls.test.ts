// Calls as weak models make them (the kinds are from public issues of people who run models locally): each is understood,
// or answered with how to do it right. What is understood is judged, recorded and shown as the corrected call.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  readTranscript,
  runKeelson,
  startMockModel,
  temporaryHome,
  type Ended,
  type MockModel,
  type ScriptedReply,
  type TemporaryHome,
} from "@keelson/testkit";
import { messagesOf, resultOf, STREAM, told } from "../front-door.ts";

interface Row {
  readonly what: string;
  readonly reply: ScriptedReply;
  /** The call that clients see, and the transcript and the next request have. */
  readonly seen?: { readonly name: string; readonly input: object };
  /** What the model reads. */
  readonly answer: RegExp;
}

const one = (name: string, input: object): ScriptedReply => ({ calls: [{ name, input: input as any }] });
const broken = (name: string, brokenJson: string): ScriptedReply => ({ calls: [{ name, input: {} }], brokenJson });
const read = (file_path: string) => ({ name: "Read", input: { file_path } });
const bash = (command: string) => ({ name: "Bash", input: { command } });
const edit = (old_string: string, new_string: string) => ({
  name: "Edit",
  input: { file_path: "a.txt", old_string, new_string, replace_all: false },
});
const ALPHA = /1\talpha/;
const EDITED = /^Edited .*: now lines? \d/;
const todo = (content: string, status = "pending", activeForm = content) => ({ content, status, activeForm });
const TODOS = /^The todo list is updated/;

/** In this order: later rows edit what earlier ones left. */
const ROWS: readonly Row[] = [
  // Names of fields
  { what: "path for file_path", reply: one("Read", { path: "a.txt" }), seen: read("a.txt"), answer: ALPHA },
  { what: "filePath for file_path", reply: one("Read", { filePath: "e.txt" }), seen: read("e.txt"), answer: ALPHA },
  { what: "filename for file_path", reply: one("Read", { filename: "f.txt" }), seen: read("f.txt"), answer: ALPHA },
  { what: "cmd for command", reply: one("Bash", { cmd: "echo one" }), seen: bash("echo one"), answer: /^one$/ },
  {
    what: "old_str and new_str",
    reply: one("Edit", { path: "a.txt", old_str: "alpha", new_str: "beta" }),
    seen: edit("alpha", "beta"),
    answer: EDITED,
  },
  {
    what: "oldString and newString",
    reply: one("Edit", { filePath: "a.txt", oldString: "beta", newString: "alpha" }),
    seen: edit("beta", "alpha"),
    answer: EDITED,
  },
  {
    what: "search and replace",
    reply: one("Edit", { file: "a.txt", search: "alpha", replace: "alpha" }),
    seen: edit("alpha", "alpha"),
    answer: /are the same/,
  },
  {
    what: "text for content",
    reply: one("Write", { path: "new.txt", text: "hello\n" }),
    seen: { name: "Write", input: { file_path: "new.txt", content: "hello\n" } },
    answer: /^Created /,
  },
  {
    what: "regex and directory in Grep",
    reply: one("Grep", { regex: "alpha", directory: "." }),
    seen: { name: "Grep", input: { pattern: "alpha", path: "." } },
    answer: /a\.txt/,
  },
  {
    what: "flags without their dash",
    reply: one("Grep", { pattern: "ALPHA", i: true, output_mode: "content" }),
    seen: { name: "Grep", input: { pattern: "ALPHA", "-i": true, output_mode: "content" } },
    answer: /alpha/,
  },
  {
    what: "start_line for offset",
    reply: one("Read", { file_path: "b.txt", start_line: "2", limit: "1" }),
    seen: { name: "Read", input: { file_path: "b.txt", offset: 2, limit: 1 } },
    answer: /2\ttwo/,
  },
  {
    what: "run_in_background as words, in another case",
    reply: one("Bash", { command: "echo two", runInBackground: "False" }),
    seen: { name: "Bash", input: { command: "echo two", run_in_background: false } },
    answer: /^two$/,
  },
  {
    what: "all arguments in one field",
    reply: one("Read", { arguments: { file_path: "g.txt" } }),
    seen: read("g.txt"),
    answer: ALPHA,
  },
  {
    what: "all arguments as JSON in one field",
    reply: one("Bash", { input: '{"command": "echo three"}' }),
    seen: bash("echo three"),
    answer: /^three$/,
  },
  {
    what: "null for everything that is absent",
    reply: one("Bash", { command: "echo four", timeout: null, description: null }),
    seen: bash("echo four"),
    answer: /^four$/,
  },
  {
    what: "a remark about why",
    reply: one("Glob", { pattern: "*.txt", explanation: "to see the files" }),
    seen: { name: "Glob", input: { pattern: "*.txt" } },
    answer: /a\.txt/,
  },
  // Values
  {
    what: "a list as a string",
    reply: one("TodoWrite", { todos: JSON.stringify([todo("a")]) }),
    seen: { name: "TodoWrite", input: { todos: [todo("a")] } },
    answer: TODOS,
  },
  {
    what: "one object for a list",
    reply: one("TodoWrite", { todos: todo("b") }),
    seen: { name: "TodoWrite", input: { todos: [todo("b")] } },
    answer: TODOS,
  },
  {
    what: "todos as texts",
    reply: one("TodoWrite", { todos: ["c"] }),
    seen: { name: "TodoWrite", input: { todos: [todo("c")] } },
    answer: TODOS,
  },
  {
    what: "no activeForm",
    reply: one("TodoWrite", { todos: [{ content: "d", status: "pending" }] }),
    seen: { name: "TodoWrite", input: { todos: [todo("d")] } },
    answer: TODOS,
  },
  {
    what: "another word for a status",
    reply: one("TodoWrite", {
      todo_list: [
        { task: "e", status: "in-progress" },
        { title: "f", status: "Done" },
      ],
    }),
    seen: { name: "TodoWrite", input: { todos: [todo("e", "in_progress"), todo("f", "completed")] } },
    answer: TODOS,
  },
  // Names of tools
  { what: "a tool in lower case", reply: one("bash", { command: "echo 5" }), seen: bash("echo 5"), answer: /^5$/ },
  {
    what: "a tool in snake case",
    reply: one("todo_write", { todos: [todo("g")] }),
    seen: { name: "TodoWrite", input: { todos: [todo("g")] } },
    answer: TODOS,
  },
  {
    what: "a tool of a namespace",
    reply: one("functions.Bash", { command: "echo 6" }),
    seen: bash("echo 6"),
    answer: /^6$/,
  },
  { what: "default_api", reply: one("default_api.Read", { file_path: "c.txt" }), seen: read("c.txt"), answer: /gamma/ },
  {
    what: "a tool with a token of a format",
    reply: one("Bash<|channel|>commentary", { command: "echo 7" }),
    seen: bash("echo 7"),
    answer: /^7$/,
  },
  { what: "BashTool", reply: one("BashTool", { command: "echo 8" }), seen: bash("echo 8"), answer: /^8$/ },
  { what: "read_file", reply: one("read_file", { path: "d.txt" }), seen: read("d.txt"), answer: /delta/ },
  {
    what: "run_shell_command",
    reply: one("run_shell_command", { command: "echo 9" }),
    seen: bash("echo 9"),
    answer: /^9$/,
  },
  // Arguments that are not JSON
  {
    what: "a code fence",
    reply: broken("Bash", '```json\n{"command": "echo 10"}\n```'),
    seen: bash("echo 10"),
    answer: /^10$/,
  },
  {
    what: "a token at the end",
    reply: broken("Bash", '{"command": "echo 11"}<|call|>'),
    seen: bash("echo 11"),
    answer: /^11$/,
  },
  {
    what: "a comma too many",
    reply: broken("Bash", '{"command": "echo 12, ",}'),
    seen: bash("echo 12, "),
    answer: /^12,$/,
  },
  {
    what: "a line break inside a string",
    reply: broken("Write", '{"file_path": "lines.txt", "content": "one\ntwo,]\n"}'),
    seen: { name: "Write", input: { file_path: "lines.txt", content: "one\ntwo,]\n" } },
    answer: /^Created /,
  },
  {
    what: "JSON in a string",
    reply: broken("Bash", JSON.stringify('{"command": "echo 13"}')),
    seen: bash("echo 13"),
    answer: /^13$/,
  },
  {
    what: "an object in a list",
    reply: broken("Bash", '[{"command": "echo 14"}]'),
    seen: bash("echo 14"),
    answer: /^14$/,
  },
  // What stays unclear is answered
  {
    what: "JSON that ends too early",
    reply: broken("Write", '{"file_path": "cut.txt", "content": "half'),
    answer: /not valid JSON: .*complete JSON object: \{"file_path":"…","content":"…"\}/s,
  },
  {
    what: "JSON with single quotes",
    reply: broken("Bash", "{'command': 'echo 1'}"),
    answer: /not valid JSON.*complete JSON object: \{"command":"…"\}/s,
  },
  {
    what: "two fields for the same",
    reply: one("Read", { path: "a.txt", filename: "b.txt" }),
    answer: /required parameter `file_path` is missing/,
  },
  {
    what: "an object for a file's content",
    reply: one("Write", { file_path: "x.json", content: { a: 1 } }),
    answer: /`content` type is expected as `string` but provided as `object`/,
  },
  {
    what: "the switch that leaves the sandbox, spelled otherwise",
    reply: one("Bash", { command: "echo 1", dangerously_disable_sandbox: true }),
    answer: /unexpected parameter `dangerously_disable_sandbox`/,
  },
  {
    what: "MultiEdit",
    reply: one("MultiEdit", { edits: [] }),
    answer: /No such tool available: MultiEdit\. Make one Edit call/,
  },
  {
    what: "apply_patch",
    reply: one("apply_patch", { input: "*** Begin Patch" }),
    answer: /Use Edit for changes and Write/,
  },
  { what: "list_dir", reply: one("list_dir", { path: "." }), answer: /Use Glob, or ls with Bash/ },
  {
    what: "a deferred tool with a wrong input",
    reply: one("WebFetch", { prompt: "what is it?" }),
    answer: /`url` is missing.*The schema of WebFetch was not sent to you.*"properties"/s,
  },
];

describe("calls as weak models make them", () => {
  let home: TemporaryHome;
  let model: MockModel;
  let ended: Ended;

  beforeAll(async () => {
    home = temporaryHome();
    for (const name of ["a", "e", "f", "g"]) home.write(`${name}.txt`, "alpha\n");
    home.write("b.txt", "one\ntwo\n");
    home.write("c.txt", "gamma\n");
    home.write("d.txt", "delta\n");
    model = await startMockModel([...ROWS.map(({ reply }) => reply), { text: "done" }]);
    ended = await runKeelson(
      ["-p", "go", ...STREAM, "--allowedTools", "Bash,Write,Edit", "--include-partial-messages"],
      {
        home,
        url: model.url,
      },
    );
  });
  afterAll(async () => {
    await model.close();
    home.remove();
  });

  test("there are more than forty", () => {
    expect(ROWS.length).toBeGreaterThanOrEqual(40);
    expect(resultOf(ended).result).toBe("done");
  });

  test.each(ROWS.map((row, at) => [row.what, row, at] as const))("%s", (_, { seen, answer }, at) => {
    const [result] = told(model.requests[at + 1]!);
    const text = typeof result.content === "string" ? result.content : JSON.stringify(result.content);
    expect(text).toMatch(answer);
    if (!seen) return expect(text).toContain("<tool_use_error>");
    const call = { type: "tool_use", ...seen };
    const sent = model.requests[at + 1]!.body.messages.at(-2).content;
    expect(sent).toMatchObject([call]);
    const shown = messagesOf(ended, "assistant").map(({ message }) => message.content[0]);
    expect(shown[at]).toMatchObject(call);
    const entries = readTranscript(home).filter(({ type }) => type === "assistant");
    expect((entries[at] as any).message.content).toMatchObject([call]);
  });
});

/** How a call is spelled, and how a weak model spells it. */
const PAIRS: readonly (readonly [ScriptedReply, ScriptedReply])[] = [
  [one("Bash", { command: "touch made" }), one("bash", { cmd: "touch made" })],
  [one("Bash", { command: "git push" }), one("run_shell_command", { arguments: { command: "git push" } })],
  [one("Bash", { command: "touch made" }), broken("Bash", '```json\n{"command": "touch made",}\n```')],
  [one("Read", { file_path: "secret.txt" }), one("read_file", { path: "secret.txt" })],
  [one("Read", { file_path: "../elsewhere.txt" }), one("functions.Read", { filename: "../elsewhere.txt" })],
  [
    one("Write", { file_path: "../outside.txt", content: "x" }),
    one("write_file", { path: "../outside.txt", text: "x" }),
  ],
  [
    one("Edit", { file_path: ".git/config", old_string: "a", new_string: "b" }),
    one("edit", { path: ".git/config", old_str: "a", new_str: "b" }),
  ],
  [
    one("WebFetch", { url: "https://example.com/", prompt: "x" }),
    one("web_fetch", { uri: "https://example.com/", question: "x" }),
  ],
];

test.each([
  { flags: [] },
  { flags: ["--permission-mode", "acceptEdits"] },
  { flags: ["--permission-mode", "plan"] },
  { flags: ["--disallowedTools", "Bash(git push:*)", "Read(secret.txt)", "--allowedTools", "Bash", "Read", "Write"] },
  { flags: ["--tools", "Read,Write"] },
])("the same is allowed and denied for both spellings: %j", async ({ flags }) => {
  const verdicts = async (calls: readonly ScriptedReply[]) => {
    using home = temporaryHome();
    home.write("secret.txt", "s");
    home.write("../elsewhere.txt", "e");
    await using model = await startMockModel([...calls, { text: "done" }]);
    const ended = await runKeelson(["-p", "go", ...STREAM, ...flags], { home, url: model.url });
    const denials = resultOf(ended).permission_denials.map(({ tool_name, tool_input }: any) => ({
      tool_name,
      tool_input,
    }));
    const results = model.requests.slice(1).map((request) => {
      const [{ is_error, content }] = told(request);
      // A tool that is not there is named as the model named it.
      return [
        is_error,
        String(content)
          .replaceAll(home.root, "")
          .replace(/No such tool available: .*/s, "No such tool"),
      ];
    });
    return { denials, results };
  };
  const [spelled, clumsy] = await Promise.all([0, 1].map((at) => verdicts(PAIRS.map((pair) => pair[at]!))));
  expect(clumsy).toEqual(spelled!);
});

test("in a small window, a long file and a long output leave room to go on, and say how", async () => {
  using home = temporaryHome();
  const lines = Array.from({ length: 5_000 }, (_, at) => `line ${at + 1} of a long file`).join("\n");
  home.write("long.txt", lines);
  await using model = await startMockModel([{ calls: [read("long.txt"), bash("cat long.txt")] }, { text: "done" }]);
  const env = { CLAUDE_CODE_MAX_CONTEXT_TOKENS: "16000" };
  const ended = await runKeelson(["-p", "go", ...STREAM, "--allowedTools", "Bash"], { home, url: model.url, env });
  expect(resultOf(ended).result).toBe("done");
  // Nothing was summarized in between.
  expect([model.requests.length, messagesOf(ended, "system/compact_boundary")]).toEqual([2, []]);
  const [page, output] = told(model.requests[1]!).map(({ content }) => content);
  expect(page).toMatch(
    /these are lines 1–\d+ of 5000\. Search with Grep for what you need, or go on with offset \d+\.\)$/,
  );
  expect(output).toMatch(/^<persisted-output>\nOutput too large .* Full output saved to: /);
  expect(page.length + output.length).toBeLessThan(0.25 * 16_000 * 4);
});

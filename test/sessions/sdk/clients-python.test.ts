// What the official Python SDK was seen to do beyond the protocol's everyday part: its whole row of flags, a rewind by the
// echo of a prompt, and a store it fills from the mirror and resumes from under another home. It was run from outside this
// repository, without its MCP servers, whose library could not be had; test/conformance plays those from the documents.

import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { runKeelson, startKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { control, messagesOf, prompt, resultOf, spoken } from "../front-door.ts";

const ENV = { CLAUDE_CODE_ENTRYPOINT: "sdk-py", CLAUDE_AGENT_SDK_VERSION: "0.2.143" };
const FIRST = ["--output-format", "stream-json", "--verbose", "--system-prompt"];
const LAST = ["--input-format", "stream-json"];
const says = (text: string) => prompt(text, { session_id: "default" });
const begin = control("req_1_a183779a", { subtype: "initialize", hooks: null });

test("its whole row of flags is understood, values apart from their names", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "ok" }]);
  const row = [
    ...["--tools", "Read,Bash", "--allowedTools", "Read", "--max-turns", "3", "--max-budget-usd", "1"],
    ...["--disallowedTools", "Bash", "--model", "claude-haiku-4-5", "--fallback-model", "sonnet"],
    ...["--betas", "context-1m-2025-08-07", "--permission-mode", "acceptEdits", "--settings", '{"env":{"A":"1"}}'],
    ...["--add-dir", home.root, "--setting-sources=user,project", "--thinking", "adaptive", "--effort", "high"],
  ];
  const args = [...FIRST, "Be brief", ...row, ...LAST];
  const ended = await runKeelson(args, { home, url: model.url, env: ENV, stdin: [begin, says("go")] });

  expect({ code: ended.code, stderr: ended.stderr, result: resultOf(ended).result }).toEqual({
    code: 0,
    stderr: "",
    result: "ok",
  });
  const { model: name, tools, system } = model.requests[0]!.body;
  expect({ name, tools: tools.map((tool: any) => tool.name), system: system.at(-1).text }).toEqual({
    name: "claude-haiku-4-5",
    tools: ["Read"],
    system: "Be brief",
  });
});

test("files are rewound to a prompt, found by the id of its echo", async () => {
  using home = temporaryHome();
  const path = home.write("a.txt", "old");
  await using model = await startMockModel([
    { calls: [{ name: "Read", input: { file_path: path } }] },
    { calls: [{ name: "Write", input: { file_path: path, content: "new" } }] },
    { text: "done" },
  ]);
  await using program = startKeelson(
    [...FIRST, "", "--permission-mode", "acceptEdits", "--replay-user-messages", ...LAST],
    { home, url: model.url, env: { ...ENV, CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "true" }, stdin: "open" },
  );
  program.send(begin);
  program.send(says("go"));
  await program.waitForLine(({ type }) => type === "result");
  expect(readFileSync(path, "utf8")).toBe("new");
  const echo = program.lines.map(({ json }) => json as any).find(({ type, isReplay }) => type === "user" && isReplay);
  program.send(control("req_2", { subtype: "rewind_files", user_message_id: echo.uuid }));
  const reply = await program.waitForLine((line) => line.response?.request_id === "req_2");
  expect((reply.json as any).response.subtype).toBe("success");
  expect(readFileSync(path, "utf8")).toBe("old");
});

test("a store filled from the mirror is enough to continue under another home", async () => {
  using home = temporaryHome();
  using other = temporaryHome();
  await using model = await startMockModel([{ text: "one" }, { text: "two" }]);
  const mirrored = [...FIRST, "", "--session-mirror", ...LAST];
  const first = await runKeelson(mirrored, { home, url: model.url, env: ENV, stdin: [begin, says("first")] });
  const { session_id } = resultOf(first);

  const batches = messagesOf(first, "transcript_mirror");
  const kinds = first.messages.map(({ type }) => type);
  expect(kinds.lastIndexOf("transcript_mirror")).toBeGreaterThan(-1);
  // It writes what it was given into a home of its own, under the same folder and file name, and resumes there.
  const config = join(other.home, "resumed");
  const file = batches[0].filePath as string;
  const copy = join(config, "projects", basename(dirname(file)), basename(file));
  mkdirSync(dirname(copy), { recursive: true });
  const lines = batches.flatMap(({ entries }) => entries).map((entry) => `${JSON.stringify(entry)}\n`);
  writeFileSync(copy, lines.join(""));
  const original = readFileSync(file, "utf8");

  const second = await runKeelson([...FIRST, "", `--resume=${session_id}`, "--session-mirror", ...LAST], {
    home,
    url: model.url,
    env: { ...ENV, CLAUDE_CONFIG_DIR: config },
    stdin: [begin, says("second")],
  });
  expect({ code: second.code, result: resultOf(second).result, id: resultOf(second).session_id }).toEqual({
    code: 0,
    result: "two",
    id: session_id,
  });
  expect(spoken(model.requests[1]!).map(({ role, content }) => [role, content[0].text])).toEqual([
    ["user", "first"],
    ["assistant", "one"],
    ["user", "second"],
  ]);
  expect(readFileSync(file, "utf8")).toBe(original);
});

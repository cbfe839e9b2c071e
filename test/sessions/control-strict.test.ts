// A client as strict as the strictest known one: it probes the version, reads only lines that begin with a brace and
// stay below a megabyte, and breaks on a message that lacks a key it needs.

import { expect, test } from "bun:test";
import { runKeelson, startKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { answer, control, prompt } from "./front-door.ts";

/** In the order that client gives them, values apart from their flags. */
const ARGS = [
  "--output-format",
  "stream-json",
  "--verbose",
  "--system-prompt",
  "",
  "--permission-prompt-tool",
  "stdio",
  "--setting-sources=user,project",
  "--input-format",
  "stream-json",
];

const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  assistant: ["message.content", "message.model"],
  user: ["message.content"],
  system: ["subtype"],
  "system/task_started": ["task_id", "description", "uuid", "session_id"],
  "system/task_notification": ["task_id", "status", "output_file", "summary", "uuid", "session_id"],
  result: ["subtype", "duration_ms", "duration_api_ms", "is_error", "num_turns", "session_id"],
  stream_event: ["uuid", "session_id", "event"],
  control_request: ["request_id", "request.subtype"],
  control_response: ["response.request_id", "response.subtype"],
};

/** What that client would stumble over. */
function problems(line: string): readonly string[] {
  if (!line.startsWith("{")) return [`skipped: ${line.slice(0, 80)}`];
  if (Buffer.byteLength(line) > 1024 * 1024) return [`too long: ${line.slice(0, 80)}`];
  const message = JSON.parse(line);
  const keys = [...(REQUIRED[message.type] ?? []), ...(REQUIRED[`${message.type}/${message.subtype}`] ?? [])];
  const lacking = keys.filter((key) => key.split(".").reduce((value, part) => value?.[part], message) === undefined);
  const blocks = message.type === "assistant" ? message.message.content : [];
  const unsigned = blocks.filter(({ type, signature }: any) => type === "thinking" && typeof signature !== "string");
  return [...lacking.map((key) => `${message.type} lacks ${key}`), ...unsigned.map(() => "thinking lacks signature")];
}

test("the version can be read, and is new enough", async () => {
  using home = temporaryHome();
  const { stdout, code } = await runKeelson(["-v"], { home });
  const [major] = /^(\d+)\.\d+\.\d+/.exec(stdout)?.slice(1) ?? [];
  expect([code, Number(major) >= 2]).toEqual([0, true]);
});

test("a run with thinking, tools, a large file, a question and a background command has nothing to stumble over", async () => {
  using home = temporaryHome();
  const large = home.write("large.txt", "line of text\n".repeat(15_000));
  const input = { file_path: large, content: "other line\n".repeat(40_000) };
  await using model = await startMockModel([
    { thinking: "hm", text: "Looking.", calls: [{ name: "Read", input: { file_path: large, limit: 5 } }] },
    { calls: [{ name: "Read", input: { file_path: large, offset: 1, limit: 2000 } }] },
    { calls: [{ name: "Write", input }] },
    { calls: [{ name: "Bash", input: { command: "true", description: "x", run_in_background: true } }] },
    { text: "done" },
    { text: "noticed" },
  ]);
  await using program = startKeelson([...ARGS, "--include-partial-messages"], {
    home,
    url: model.url,
    stdin: "open",
    timeoutMs: 18_000,
  });
  program.send(control("req_1_deadbeef", { subtype: "initialize", hooks: null, agents: null }));
  await program.waitForLine(({ response }) => response?.request_id === "req_1_deadbeef");
  program.send(prompt("go", { session_id: "default" }));
  const answered = (async () => {
    for (let after; ;) {
      const line = await program.waitForLine(
        ({ type }) => type === "control_request" || type === "result",
        after ? { after } : {},
      );
      after = line;
      const { type, request_id, request } = line.json as any;
      if (type === "result") return;
      program.send(answer(request_id, { behavior: "allow", updatedInput: request.input }));
    }
  })();
  await answered;
  program.closeStdin();
  const ended = await program.done;

  expect(ended.lines.flatMap(({ text }) => problems(text))).toEqual([]);
  expect(ended.messages.find(({ type }) => type === "result")).toMatchObject({ subtype: "success" });
  expect(ended.code).toBe(0);
}, 20_000);

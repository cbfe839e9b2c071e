// The three front ends with a session in memory.

import { expect, test } from "bun:test";
import type { EndReason, Inbound, Outbound, Session } from "@keelson/protocol";
import { failureResult } from "./failure.ts";
import { streamJson } from "./stream-json.ts";
import type { Streams } from "./streams.ts";
import { json, text } from "./text.ts";

/** Answers each prompt with `answers(prompt)`; ends when closed and everything is answered. */
function fakeSession(answers: (prompt: string) => readonly Outbound[]) {
  const sent: Inbound[] = [];
  const closes: EndReason[] = [];
  const waiting: Outbound[] = [];
  let wake = Promise.withResolvers<void>();
  let left = false;
  async function* messages(): AsyncGenerator<Outbound> {
    for (;;) {
      while (waiting.length > 0) yield waiting.shift()!;
      if (closes.length > 0) return;
      await wake.promise;
      wake = Promise.withResolvers<void>();
    }
  }
  const session: Session = {
    id: "s",
    attach: () => ({
      id: "client",
      cursor: "e.0",
      messages: messages(),
      send(input) {
        sent.push(input);
        if (input.type === "user") waiting.push(...answers(String(input.message.content)));
        wake.resolve();
      },
      detach: () => void (left = true),
    }),
    async close(reason) {
      closes.push(reason);
      wake.resolve();
    },
  };
  return { session, sent, closes, left: () => left };
}

function streams(input: readonly string[] = [], more: Partial<Streams> = {}) {
  const written: string[] = [];
  const errors: string[] = [];
  const result: Streams = {
    stdin: chunks(input),
    write: (chunk) => void written.push(chunk),
    error: (line) => void errors.push(line),
    ...more,
  };
  return {
    streams: result,
    written,
    errors,
    lines: () =>
      written
        .join("")
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
  };
}

async function* chunks(input: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const part of input) yield new TextEncoder().encode(part);
}

const { result: _, errors: __, ...bare } = { result: "", ...failureResult("s", "") };
const success = (answer: string): Outbound => ({ ...bare, subtype: "success", is_error: false, result: answer });
const failed = (subtype: string, ...errors: string[]) => ({ ...bare, subtype, errors }) as Outbound;
const line = (value: unknown) => `${JSON.stringify(value)}\n`;
const userLine = (content: unknown, more: object = {}) =>
  line({ type: "user", message: { role: "user", content }, ...more });

const TEXTS: readonly [result: Outbound, printed: string, code: number][] = [
  [success("Hello"), "Hello\n", 0],
  [{ ...success("API Error: 400 bad"), is_error: true } as Outbound, "API Error: 400 bad\n", 1],
  [failed("error_max_turns", "Reached maximum number of turns (3)"), "Error: Reached max turns (3)\n", 1],
  [failed("error_max_budget_usd", "Reached maximum budget ($1)"), "Error: Reached maximum budget ($1)\n", 1],
  [failed("error_during_execution"), "Execution error\n", 1],
  [failed("error_during_execution", "[ede_diagnostic] result_type=user", "Stopped"), "Error: Stopped\n", 1],
];

test.each(TEXTS)("text() prints how the run ended %#", async (result, printed, code) => {
  const { session, sent, closes } = fakeSession(() => [{ type: "system", subtype: "init" } as Outbound, result]);
  const { streams: io, written } = streams();

  expect(await text(session, io, { attach: {}, prompt: "hi" })).toBe(code);
  expect(written).toEqual([printed]);
  expect(sent).toEqual([{ type: "user", message: { role: "user", content: "hi" }, parent_tool_use_id: null }]);
  expect(closes).toEqual(["end_of_input"]);
});

test("text() prints what the model cannot do on standard error, and nothing else that is said", async () => {
  const said = (content: string, tag?: string) =>
    ({ type: "system", subtype: "informational", level: "notice", content, ...(tag ? { tag } : {}) }) as Outbound;
  const { session } = fakeSession(() => [said("no pictures", "model"), said("a hook says hi"), success("Hello")]);
  const { streams: io, written, errors } = streams();
  expect(await text(session, io, { attach: {}, prompt: "hi" })).toBe(0);
  expect([written, errors]).toEqual([["Hello\n"], ["no pictures"]]);
});

test("json() prints the last result object and nothing else", async () => {
  const { session } = fakeSession(() => [
    success("first"),
    { type: "system", subtype: "status" } as Outbound,
    success("last"),
  ]);
  const { streams: io, lines } = streams();

  expect(await json(session, io, { attach: {}, prompt: "hi" })).toBe(0);
  expect(lines()).toEqual([success("last")]);
});

test("json() with all prints every message in one array", async () => {
  const status = { type: "system", subtype: "status" } as Outbound;
  const { session } = fakeSession(() => [status, success("only")]);
  const { streams: io, written } = streams();

  expect(await json(session, io, { attach: {}, prompt: "hi", all: true })).toBe(0);
  expect(written).toHaveLength(1);
  expect(written[0]).toEndWith("}]\n");
  expect(JSON.parse(written[0]!)).toEqual([status, success("only")]);
});

test("text() fails when the session ends without a result", async () => {
  const { session } = fakeSession(() => []);
  const { streams: io, written } = streams();
  expect(await text(session, io, { attach: {}, prompt: "hi" })).toBe(1);
  expect(written).toEqual([]);
});

test("streamJson() sends the input and prints the output, however it is split into chunks", async () => {
  const { session, sent, closes } = fakeSession((prompt) => [success(prompt)]);
  const whole =
    line({ type: "control_request", request_id: "1", request: { subtype: "initialize" } }) +
    "\n  \r\n" +
    userLine("héllo", { uuid: "u", session_id: "" }) +
    line({ type: "keep_alive" }) +
    line({ type: "from_the_future", x: 1 }) +
    line(42) +
    line({
      type: "control_response",
      request_id: "top",
      response: { subtype: "success", response: { behavior: "allow" } },
    }) +
    line({ type: "control_cancel_request", request_id: "c" }) +
    line({ type: "control_request", request_id: "no request" }) +
    userLine([{ type: "text", text: "bye" }]).trimEnd();
  const bytes = new TextEncoder().encode(whole);
  const single = async function* () {
    for (const byte of bytes) yield Uint8Array.of(byte);
  };
  const { streams: io, lines, errors } = streams([], { stdin: single() });

  expect(await streamJson(session, io, { attach: {}, input: true })).toBe(0);
  expect(sent).toEqual([
    { type: "control_request", request_id: "1", request: { subtype: "initialize" } },
    { type: "user", message: { role: "user", content: "héllo" }, uuid: "u", session_id: "", parent_tool_use_id: null },
    { type: "control_response", response: { subtype: "success", request_id: "top", response: { behavior: "allow" } } },
    { type: "control_cancel_request", request_id: "c" },
    { type: "control_request", request_id: "no request", request: { subtype: "undefined" } as never },
    { type: "user", message: { role: "user", content: [{ type: "text", text: "bye" }] }, parent_tool_use_id: null },
  ]);
  expect(lines()).toEqual([success("héllo"), success("[object Object]")]);
  expect([errors, closes]).toEqual([[], ["end_of_input"]]);
});

test("streamJson() takes its exit code from the last result", async () => {
  const answers = (prompt: string) => [prompt === "bad" ? failed("error_during_execution", "x") : success(prompt)];
  const code = (...prompts: string[]) =>
    streamJson(fakeSession(answers).session, streams(prompts.map((prompt) => userLine(prompt))).streams, {
      attach: {},
      input: true,
    });
  expect([await code("good", "bad"), await code("bad", "good"), await code()]).toEqual([1, 0, 0]);
});

const DAMAGE: readonly [what: string, line: string, message: RegExp][] = [
  ["broken JSON", '{"type":"user",', /^Error parsing streaming input line \(.+\)$/],
  [
    "another role",
    line({ type: "user", message: { role: "assistant", content: "x" } }),
    /^error: Expected message role 'user', got 'assistant'$/,
  ],
  ["no message", line({ type: "user" }), /^error: Expected message role 'user', got 'undefined'$/],
  ["no content", line({ type: "user", message: { role: "user" } }), /^error: Expected message content/],
];

test.each(DAMAGE)("streamJson() refuses %s, ends the session and exits 1", async (_what, damaged, message) => {
  const { session, closes } = fakeSession(() => []);
  const { streams: io, errors, written } = streams([userLine("before"), damaged, "\n", userLine("after")]);

  expect(await streamJson(session, io, { attach: {}, input: true })).toBe(1);
  expect(errors).toEqual([expect.stringMatching(message)]);
  expect([written, closes]).toEqual([[], ["terminate"]]);
});

test("streamJson() ends with its session even if the input stays open", async () => {
  const { session } = fakeSession((prompt) => [success(prompt)]);
  const stdin = (async function* () {
    yield new TextEncoder().encode(userLine("hi"));
    await session.close("interrupt");
    await new Promise<never>(() => undefined);
  })();
  const { streams: io, lines } = streams([], { stdin });
  expect(await streamJson(session, io, { attach: {}, input: true })).toBe(0);
  expect(lines()).toEqual([success("hi")]);
});

test("streamJson() echoes control responses to clients that asked for replay", async () => {
  const response = { type: "control_response", response: { subtype: "success", request_id: "1", response: {} } };
  const run = async (replay: boolean) => {
    const { streams: io, lines } = streams([line(response)]);
    await streamJson(fakeSession(() => []).session, io, { attach: {}, input: true, replay });
    return lines();
  };
  expect([await run(true), await run(false)]).toEqual([[response], []]);
});

test("a huge tool output is shortened on the stream, but not for the model", async () => {
  const big = "x".repeat(3_000_000);
  const content = [{ type: "tool_result", tool_use_id: "t", content: "ok" }];
  const more = { parent_tool_use_id: null, session_id: "s", uuid: "u" };
  const message = { type: "user", message: { role: "user", content }, ...more };
  const file = { filePath: "/a", originalFile: big, hunks: [{ lines: ["é".repeat(10), big] }] };
  const { session } = fakeSession(() => [{ ...message, tool_use_result: file } as Outbound]);
  const { streams: io, lines, written } = streams();

  await streamJson(session, io, { attach: {}, input: false, prompt: "go" });
  const note = "[left out: 3000000 characters]";
  const left = { filePath: "/a", originalFile: note, hunks: [{ lines: ["é".repeat(10), note] }] };
  expect(lines()).toEqual([{ ...message, tool_use_result: left }]);
  expect(Buffer.byteLength(written.join(""))).toBeLessThan(1_000_000);
});

test("a client that writes without reading has to wait until it reads", async () => {
  const large = { type: "x", text: "y".repeat(2_000_000) } as never;
  // The first is being written, the second waits behind it.
  const { session, sent } = fakeSession((prompt) => (prompt === "go" ? [large, large] : []));
  const reading = Promise.withResolvers<void>();
  const chunk = userLine("z".repeat(1024 * 1024));
  let given = 0;
  const stdin = (async function* () {
    yield new TextEncoder().encode(userLine("go"));
    await new Promise((resolve) => setImmediate(resolve));
    for (; given < 40; given++) yield new TextEncoder().encode(chunk);
  })();
  const { streams: io } = streams([], { stdin, write: () => reading.promise });

  const ended = streamJson(session, io, { attach: {}, input: true });
  // The session can do nothing more by itself: a turn of the loop for every chunk it could have taken.
  for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(given).toBeLessThan(20);
  reading.resolve();
  expect(await ended).toBe(0);
  expect(sent).toHaveLength(41);
});

test("the session ends without an error when the reader closes the pipe", async () => {
  const gone = Object.assign(new Error("broken pipe"), { code: "EPIPE" });
  for (const write of [
    () => Promise.reject(gone),
    () => {
      throw gone;
    },
  ]) {
    const fake = fakeSession(() => Array.from({ length: 50 }, () => success("x".repeat(5_000))));
    const { streams: io, errors } = streams([], { write });
    expect(await streamJson(fake.session, io, { attach: {}, input: false, prompt: "hi" })).toBe(0);
    expect([fake.left(), fake.closes.at(-1), errors]).toEqual([true, "terminate", []]);

    const other = fakeSession(() => [success("x")]);
    expect(await text(other.session, io, { attach: {}, prompt: "hi" })).toBe(0);
  }
});

test("a silent session ends too when the reader closes the pipe", async () => {
  const gone = Object.assign(new Error("broken pipe"), { code: "EPIPE" });
  const open = Promise.withResolvers<never>();
  const stdin = (async function* () {
    yield new TextEncoder().encode(userLine("go"));
    await open.promise;
  })();
  const fake = fakeSession(() => [success("the only message")]);
  const { streams: io } = streams([], { stdin, write: () => Promise.reject(gone) });
  expect(await streamJson(fake.session, io, { attach: {}, input: true })).toBe(0);
  expect(fake.closes).toContain("terminate");
});

test("a full disk is an error", async () => {
  const full = Object.assign(new Error("no space"), { code: "ENOSPC" });
  const { streams: io } = streams([], { write: () => Promise.reject(full) });
  expect(
    streamJson(fakeSession(() => [success("x")]).session, io, { attach: {}, input: false, prompt: "hi" }),
  ).rejects.toBe(full);
});

test("ten thousand partial messages arrive whole, in order and in few writes", async () => {
  const events = Array.from({ length: 10_000 }, (_unused, index) => ({
    type: "stream_event",
    event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: `word ${index} ` } },
    session_id: "s",
    parent_tool_use_id: null,
    uuid: "u",
  })) as Outbound[];
  const { session } = fakeSession(() => events);
  const { streams: io, written, lines } = streams();

  expect(await streamJson(session, io, { attach: {}, input: false, prompt: "go" })).toBe(0);
  expect(lines()).toEqual(events);
  expect(written.length).toBeLessThan(100);
});

test("streamJson() waits for the very end of a session, and reports what fails there", async () => {
  const fake = fakeSession(() => [success("x")]);
  const broken = new Error("The worktree could not be looked at");
  const session: Session = {
    ...fake.session,
    async close(reason) {
      await fake.session.close(reason);
      // By then the messages have ended.
      await Bun.sleep(5);
      throw broken;
    },
  };
  const { streams: io, lines } = streams();
  const failed = await streamJson(session, io, { attach: {}, input: false, prompt: "hi" }).catch((error) => error);
  expect(failed).toBe(broken);
  expect(lines()).toEqual([success("x")]);
});

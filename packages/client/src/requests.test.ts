import { expect, test } from "bun:test";
import type { ControlCancelRequest, ControlRequest, ControlResponse } from "@keelson/protocol";
import { ControlChannel, RequestError, type ChannelOptions, type SessionQuestion } from "./requests.ts";

function channelOf(options: Partial<ChannelOptions> = {}) {
  const sent: (ControlRequest | ControlResponse | ControlCancelRequest)[] = [];
  const asked: SessionQuestion[] = [];
  let ids = 0;
  const channel = new ControlChannel({
    send: (message) => void sent.push(message),
    newId: () => `r${++ids}`,
    asked: (question) => void asked.push(question),
    ...options,
  });
  return { channel, sent, asked };
}

const reply = (request_id: string, response: object) => ({
  type: "control_response",
  response: { subtype: "success", request_id, ...response },
});
const refusal = (request_id: string, more: object = {}) => ({
  type: "control_response",
  response: { subtype: "error", request_id, error: "No", ...more },
});
const question = (request_id: string, subtype = "can_use_tool") => ({
  type: "control_request",
  request_id,
  request: { subtype },
});

test("a request whose signal is aborted is not sent, and one that is settled leaves its signal alone", async () => {
  const { channel, sent } = channelOf();
  await expect(channel.request("get_session_info", undefined, AbortSignal.abort())).rejects.toThrow("taken back");
  expect([sent, channel.waiting]).toEqual([[], 0]);

  const listeners = new Set<unknown>();
  const signal = {
    aborted: false,
    addEventListener: (_: string, listener: unknown) => void listeners.add(listener),
    removeEventListener: (_: string, listener: unknown) => void listeners.delete(listener),
  } as never;
  const both = [
    channel.request("get_session_info", undefined, signal),
    channel.request("interrupt", undefined, signal),
  ];
  expect(listeners.size).toBe(2);
  channel.take(reply("r1", { response: {} }));
  channel.take(refusal("r2"));
  await Promise.allSettled(both);
  expect(listeners.size).toBe(0);
});

test("replies find their requests, in any order", async () => {
  const { channel, sent } = channelOf();
  const info = channel.request("get_session_info");
  const mode = channel.request("set_permission_mode", { mode: "plan" });
  expect(sent).toEqual([
    { type: "control_request", request_id: "r1", request: { subtype: "get_session_info" } },
    { type: "control_request", request_id: "r2", request: { subtype: "set_permission_mode", mode: "plan" } },
  ]);
  expect(channel.waiting).toBe(2);
  expect([channel.take(reply("r2", { response: { mode: "plan" } })), channel.take(reply("r1", {}))]).toEqual([
    true,
    true,
  ]);
  expect([(await mode) as unknown, (await info) as unknown]).toEqual([{ mode: "plan" }, undefined]);
  expect(channel.waiting).toBe(0);
});

test("a reply comes with what is beside its payload", async () => {
  const { channel } = channelOf();
  const asked = channel.ask({ subtype: "initialize" });
  channel.take(reply("r1", { response: { a: 1 }, pending_permission_requests: [] }));
  expect(await asked).toEqual({
    response: { a: 1 },
    envelope: { subtype: "success", request_id: "r1", response: { a: 1 }, pending_permission_requests: [] },
  });
});

test.each([
  [{}, { message: "No", code: undefined, isMissing: false }],
  [{ error_code: "busy" }, { message: "No", code: "busy", isMissing: false }],
  [
    { missing: true, error_code: 7 },
    { message: "No", code: undefined, isMissing: true },
  ],
])("a request that is refused with %j rejects", async (more, expected) => {
  const { channel } = channelOf();
  const asked = channel.request("interrupt");
  channel.take(refusal("r1", more));
  const error = await asked.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(RequestError);
  expect(error).toMatchObject(expected);
});

test("a client may have errors of its own", async () => {
  const { channel } = channelOf({ refused: (text, code) => new RangeError(`${text} ${code}`) });
  const asked = channel.request("interrupt");
  channel.take(refusal("r1", { error_code: "x" }));
  expect(await asked.catch((thrown: unknown) => thrown)).toEqual(new RangeError("No x"));
});

test("what is no control message is left to others, and what belongs to nothing is ignored", () => {
  const { channel, sent, asked } = channelOf();
  expect(channel.take({ type: "assistant" })).toBe(false);
  for (const stray of [
    reply("r9", {}),
    { type: "control_response" },
    { type: "control_response", response: "x" },
    { type: "control_request" },
    { type: "control_cancel_request", request_id: "q" },
  ])
    expect(channel.take(stray)).toBe(true);
  expect([sent, asked]).toEqual([[], []]);
});

test("a request without a subtype is refused", () => {
  const { channel, sent } = channelOf();
  channel.take({ ...question("q"), request: {} });
  expect(sent).toEqual([refusal("q", { error: "The request has no subtype" })] as never);
});

test("a question is settled once, however it is settled", () => {
  const { channel, sent, asked } = channelOf();
  for (const id of ["a", "b", "c", "d"]) channel.take(question(id));
  const [a, b, c, d] = asked;
  a!.answer({ yes: 1 });
  b!.refuse("No", "why");
  c!.relay({ subtype: "success", request_id: "of another", response: { yes: 2 } });
  d!.leave();
  for (const each of asked) each.answer({ late: true });
  expect(sent).toEqual([
    reply("a", { response: { yes: 1 } }),
    refusal("b", { error_code: "why" }),
    reply("c", { response: { yes: 2 } }),
  ] as never);
});

test("the same question delivered twice is one question, until it is settled", () => {
  const { channel, asked } = channelOf();
  channel.take(question("q"));
  channel.take(question("q"));
  expect(asked).toHaveLength(1);
  asked[0]!.leave();
  channel.take(question("q"));
  expect(asked).toHaveLength(2);
});

test("an answer that cannot be sent is none: another one can be given", () => {
  const sent: unknown[] = [];
  const { channel, asked } = channelOf({ send: (message) => void sent.push(JSON.stringify(message)) });
  channel.take(question("q"));
  expect(() => asked[0]!.answer({ big: 1n })).toThrow(TypeError);
  asked[0]!.refuse("No");
  expect(sent).toEqual([JSON.stringify(refusal("q"))]);
});

test("a question that is withdrawn says so", () => {
  const { channel, asked } = channelOf();
  channel.take(question("q"));
  expect(asked[0]!.signal.aborted).toBe(false);
  const withdrawal = { type: "control_cancel_request", request_id: "q" };
  channel.take(withdrawal);
  expect(asked[0]!.signal.aborted).toBe(true);
});

test("the end fails what waits and withdraws what was asked; nothing is sent any more", async () => {
  const { channel, sent, asked } = channelOf();
  const waiting = channel.request("interrupt");
  channel.take(question("q"));
  channel.end(new Error("Gone"));
  channel.end(new Error("Again"));
  asked[0]!.answer({});
  expect(asked[0]!.signal.aborted).toBe(true);
  expect(await waiting.catch((thrown: unknown) => thrown)).toEqual(new Error("Gone"));
  expect(await channel.request("interrupt").catch((thrown: unknown) => thrown)).toEqual(new Error("Gone"));
  expect(sent).toHaveLength(1);
});

test("requests can fail without an end", async () => {
  const { channel } = channelOf();
  const first = channel.request("interrupt");
  channel.fail(new Error("Too much"));
  expect(await first.catch((thrown: unknown) => thrown)).toEqual(new Error("Too much"));
  const second = channel.request("interrupt");
  channel.take(reply("r2", { response: { still_queued: [] } }));
  expect(await second).toEqual({ still_queued: [] });
});

test("a request that is taken back is withdrawn from the session, and its reply comes too late", async () => {
  const { channel, sent } = channelOf();
  const controller = new AbortController();
  const asked = channel.request("search_sessions", { query: "x" }, controller.signal);
  controller.abort();
  await expect(asked).rejects.toThrow("The request was taken back");
  channel.take(reply("r1", { response: { session_ids: [] } }));
  expect(sent).toEqual([
    { type: "control_request", request_id: "r1", request: { subtype: "search_sessions", query: "x" } },
    { type: "control_cancel_request", request_id: "r1" },
  ]);
  expect(channel.waiting).toBe(0);
});

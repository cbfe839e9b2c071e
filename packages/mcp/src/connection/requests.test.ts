// What a server does besides answering: it asks, reports progress, and goes away.

import { expect, test } from "bun:test";
import { Client } from "./client.ts";
import { linkedServer } from "./linked-server.test-support.ts";
import { McpError } from "./rpc.ts";

const signal = new AbortController().signal;
const limit = { timeoutMs: 20_000, signal };

test("requests from the server are answered by their handlers", async () => {
  const server = linkedServer();
  const client = new Client(server.transport, {
    handlers: {
      "roots/list": async () => ({ roots: [{ uri: "file:///p" }] }),
      "elicitation/create": async ({ message }) => ({ action: "accept", content: { said: message! } }),
      "sampling/createMessage": () => Promise.reject(new McpError(-1, "The user rejected it")),
    },
  });
  await client.start(signal);
  for (const [id, method] of ["roots/list", "elicitation/create", "sampling/createMessage", "toString"].entries()) {
    server.say({ id, method, params: { message: "Name?" } });
  }
  const answers = [await server.next(), await server.next(), await server.next(), await server.next()];
  expect(answers.toSorted((a, b) => Number(a["id"]) - Number(b["id"]))).toEqual([
    { jsonrpc: "2.0", id: 0, result: { roots: [{ uri: "file:///p" }] } },
    { jsonrpc: "2.0", id: 1, result: { action: "accept", content: { said: "Name?" } } },
    { jsonrpc: "2.0", id: 2, error: { code: -1, message: "The user rejected it" } },
    { jsonrpc: "2.0", id: 3, error: { code: -32601, message: "Method not found: toString" } },
  ]);
});

test("a handler stops when the server cancels its request or the connection ends", async () => {
  const server = linkedServer();
  const signals: AbortSignal[] = [];
  const client = new Client(server.transport, {
    handlers: { ask: (_, stop) => new Promise(() => void signals.push(stop)) },
  });
  await client.start(signal);
  server.say({ id: "a", method: "ask" });
  server.say({ id: "b", method: "ask" });
  // The same id again while it is being answered.
  server.say({ id: "b", method: "ask" });
  server.say({ method: "notifications/cancelled", params: { requestId: "a" } });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  await client.close();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
});

test("progress reaches the request it belongs to, and nothing else", async () => {
  const server = linkedServer();
  const client = new Client(server.transport);
  await client.start(signal);
  const heard: unknown[] = [];
  const call = client.request("slow", {}, { ...limit, onProgress: (progress) => heard.push(progress) });
  const progress = (params: object) => server.say({ method: "notifications/progress", params: { ...params } });
  progress({ progressToken: 0, progress: 1, total: 4, message: "m".repeat(5_000) });
  progress({ progressToken: 7, progress: 2 });
  progress({ progressToken: "x", progress: 3 });
  progress({ progressToken: 0, progress: "much" });
  server.say({ id: 0, result: { ok: true } });
  expect(await call).toEqual({ ok: true });
  progress({ progressToken: 0, progress: 4 });
  expect(heard).toEqual([{ progress: 1, total: 4, message: "m".repeat(1_000) }]);
});

test("a request without progress ends; progress and questions to us keep it alive", async () => {
  const server = linkedServer();
  const asked = Promise.withResolvers<{ action: string }>();
  const client = new Client(server.transport, { handlers: { "elicitation/create": () => asked.promise } });
  await client.start(signal);
  const silent = client.request("silent", {}, { ...limit, idleTimeoutMs: 5 });
  expect(await failure(silent)).toBe("MCP error -32001: Request timed out: no progress for 0 s");

  const busy = client.request("busy", {}, { ...limit, idleTimeoutMs: 400 });
  const ticks = setInterval(
    () => server.say({ method: "notifications/progress", params: { progressToken: 1, progress: 1 } }),
    10,
  );
  await Bun.sleep(600);
  server.say({ id: 1, result: {} });
  expect(await busy).toEqual({});
  clearInterval(ticks);

  const asking = client.request("asking", {}, { ...limit, idleTimeoutMs: 20 });
  server.say({ id: "q", method: "elicitation/create" });
  await Bun.sleep(100);
  asked.resolve({ action: "accept" });
  server.say({ id: 2, result: {} });
  expect(await asking).toEqual({});
});

test("when the connection breaks, open requests fail and the transport is closed", async () => {
  const server = linkedServer();
  const reasons: string[] = [];
  const client = new Client(server.transport, { onClosed: ({ message }) => reasons.push(message) });
  await client.start(signal);
  const call = client.request("slow", {}, limit);
  server.break(new Error("The program exited with code 3"));
  server.break(new Error("again"));
  expect(await failure(call)).toBe("MCP error -32000: Connection closed");
  expect([reasons, server.isClosed()]).toEqual([["The program exited with code 3"], true]);
});

test("an answer with a wrong id, or a second one, changes nothing", async () => {
  const server = linkedServer();
  const client = new Client(server.transport);
  await client.start(signal);
  const call = client.request("x", {}, limit);
  for (const id of [1, "", " ", true, null, -1, "0x0", "0.0", [0]]) {
    server.say({ id, result: { wrong: true } } as never);
  }
  server.say({ id: 0, result: { first: true } });
  server.say({ id: 0, result: { second: true } });
  expect(await call).toEqual({ first: true });
});

async function failure(promise: Promise<unknown>): Promise<string> {
  try {
    return `resolved with ${JSON.stringify(await promise)}`;
  } catch (error) {
    return (error as Error).message;
  }
}

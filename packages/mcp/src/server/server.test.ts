import { expect, test } from "bun:test";
import { ToolServer, type ClientFacts, type ToolServerOptions, type ServedCall, type ServedResult } from "./server.ts";

/** A server whose calls the test answers, and everything it wrote. */
function serving(more: Partial<ToolServerOptions> = {}) {
  const written: any[] = [];
  const clients: ClientFacts[] = [];
  const calls: { call: ServedCall; answer: (result?: ServedResult) => void }[] = [];
  let gone = 0;
  const server = new ToolServer({
    async open(client) {
      clients.push(client);
      return {
        list: () => [{ name: "T", description: "", inputSchema: { type: "object" } }],
        call: (call) => new Promise((answer) => calls.push({ call, answer })),
      };
    },
    write: (line) => void written.push(JSON.parse(line)),
    onGone: () => gone++,
    ...more,
  });
  const send = (message: object) => server.receive(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const initialize = (params: object = {}) => send({ id: "init", method: "initialize", params });
  return { server, send, initialize, written, clients, calls, gone: () => gone };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));
const DONE: ServedResult = { content: [{ type: "text", text: "done" }], isError: false };

test.each([
  [{}, false],
  [{ elicitation: {} }, true],
  [{ elicitation: { form: {} } }, true],
  [{ elicitation: { form: {}, url: {} } }, true],
  [{ elicitation: { url: {} } }, false],
  [{ elicitation: true }, false],
])("a client with the capabilities %p can show a form: %p", async (capabilities, canAsk) => {
  const { initialize, clients } = serving();
  initialize({ capabilities, clientInfo: { name: "c" } });
  await settle();
  expect(clients).toEqual([{ name: "c", canAsk }]);
});

test.each([
  ["2024-11-05", "2024-11-05"],
  ["2025-03-26", "2025-03-26"],
  ["2025-06-18", "2025-06-18"],
  ["2025-11-25", "2025-11-25"],
  ["2026-07-28", "2025-11-25"],
  [undefined, "2025-11-25"],
])("a client that wants the protocol of %p gets that of %p", async (protocolVersion, version) => {
  const { initialize, written } = serving();
  initialize({ protocolVersion });
  await settle();
  expect(written[0].result.protocolVersion).toBe(version);
});

test("requests beyond the limit and with an ID in use are refused; the others are answered", async () => {
  const { server, send, initialize, written, calls } = serving();
  initialize();
  await settle();
  for (let id = 1; id <= 1_001; id++) send({ id, method: "tools/call", params: { name: "T" } });
  send({ id: 1, method: "tools/call", params: { name: "T" } });
  await settle();
  expect(written.slice(1).map(({ id, error }) => [id, error.code])).toEqual([
    [1_001, -32000],
    [1, -32600],
  ]);
  for (const { answer } of calls) answer(DONE);
  await server.settled();
  expect(written.slice(3).map(({ id }) => id)).toEqual(Array.from({ length: 1_000 }, (_, n) => n + 1));
});

test("a cancelled call is not answered, and progress stops with the answer", async () => {
  const { server, send, initialize, written, calls } = serving();
  initialize();
  await settle();
  const call = (id: number) =>
    send({ id, method: "tools/call", params: { name: "T", _meta: { progressToken: `p${id}` } } });
  call(1);
  call(2);
  await settle();
  calls[0]!.call.progress("one");
  send({ method: "notifications/cancelled", params: { requestId: 1 } });
  expect(calls.map(({ call: { signal } }) => signal.aborted)).toEqual([true, false]);
  calls[1]!.call.progress("first");
  calls[1]!.call.progress("second");
  for (const { answer } of calls) answer(DONE);
  await server.settled();
  for (const { call: each } of calls) each.progress("too late");
  expect(written.slice(1)).toMatchObject([
    { method: "notifications/progress", params: { progressToken: "p1", progress: 1, message: "one" } },
    { method: "notifications/progress", params: { progressToken: "p2", progress: 1, message: "first" } },
    { method: "notifications/progress", params: { progressToken: "p2", progress: 2, message: "second" } },
    { id: 2, result: DONE },
  ]);
});

test("a question ends when no one can answer any more", async () => {
  const { server, send, initialize, calls } = serving();
  initialize({ capabilities: { elicitation: {} } });
  send({ id: 1, method: "tools/call", params: { name: "T" } });
  await settle();
  const asked = calls[0]!.call.ask("Really?", { name: "allow", title: "Allow" }, new AbortController().signal);
  server.closeQuestions();
  expect(await asked).toEqual({ kind: "failed", reason: "the client closed the connection" });
});

test("a client that no longer reads is noticed", async () => {
  const { initialize, gone } = serving({ write: () => Promise.reject(new Error("EPIPE")) });
  initialize();
  await settle();
  expect(gone()).toBe(1);
});

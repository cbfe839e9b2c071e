// The server's side of the protocol without sessions (2026-07-28).

import { expect, test } from "bun:test";
import { ToolServer, type ClientFacts, type ServedCall, type ServedResult } from "./server.ts";

const META = "io.modelcontextprotocol/";
const DONE: ServedResult = { content: [{ type: "text", text: "done" }], isError: false };
const settle = () => new Promise((resolve) => setImmediate(resolve));
const never = new AbortController().signal;
const FIELD = { name: "allow", title: "Allow" };

/** A server whose one tool does what the test says, and everything it wrote. */
function serving(run: (call: ServedCall) => Promise<ServedResult>) {
  const written: any[] = [];
  const clients: ClientFacts[] = [];
  const server = new ToolServer({
    async open(client) {
      clients.push(client);
      return { list: () => [{ name: "T", description: "", inputSchema: { type: "object" } }], call: run };
    },
    write: (line) => void written.push(JSON.parse(line)),
    onGone: () => undefined,
  });
  let id = 0;
  const request = (method: string, params: object = {}, meta: object = {}) => {
    const about = {
      [`${META}protocolVersion`]: "2026-07-28",
      [`${META}clientInfo`]: { name: "c", version: "1" },
      [`${META}clientCapabilities`]: { elicitation: { form: {} } },
    };
    server.receive(
      JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params: { ...params, _meta: { ...about, ...meta } } }),
    );
    return settle();
  };
  return { server, written, clients, request };
}

const asks = async ({ ask }: ServedCall): Promise<ServedResult> => {
  const { kind } = await ask("Really?", FIELD, never);
  return { content: [{ type: "text", text: kind }], isError: false };
};

test("a client finds the server, and lists and calls tools without a handshake", async () => {
  const { request, written, clients } = serving(async () => DONE);
  await request("server/discover");
  await request("tools/list");
  await request("tools/call", { name: "T" });
  const _meta = { [`${META}serverInfo`]: { name: "keelson", title: "Keelson", version: expect.any(String) } };
  expect(written.map(({ result }) => result)).toEqual([
    {
      resultType: "complete",
      supportedVersions: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
      capabilities: { tools: {} },
      ttlMs: 0,
      cacheScope: "private",
      _meta,
    },
    {
      resultType: "complete",
      tools: [{ name: "T", description: "", inputSchema: { type: "object" } }],
      ttlMs: 0,
      cacheScope: "private",
      _meta,
    },
    { resultType: "complete", ...DONE, _meta },
  ]);
  expect(clients).toEqual([{ name: "c", canAsk: true }]);
});

test("another version is refused with those that are known", async () => {
  const { request, written } = serving(async () => DONE);
  await request("tools/list", {}, { [`${META}protocolVersion`]: "2099-01-01" });
  expect(written[0].error).toMatchObject({
    code: -32022,
    data: { supported: expect.arrayContaining(["2026-07-28"]), requested: "2099-01-01" },
  });
});

test.each([
  [{ action: "accept", content: { allow: true } }, "yes"],
  [{ action: "accept", content: {} }, "no"],
  [{ action: "decline" }, "no"],
  [undefined, "failed"],
])("a call is answered with its question, and goes on with the answer %j: %s", async (answer, kind) => {
  const { request, written } = serving(asks);
  await request("tools/call", { name: "T" });
  const { result } = written[0];
  expect(result).toMatchObject({
    resultType: "input_required",
    inputRequests: { answer: { method: "elicitation/create", params: { mode: "form", message: "Really?" } } },
  });
  const { requestState } = result;
  await request("tools/call", { name: "T", requestState, inputResponses: { answer } });
  expect(written[1].result).toMatchObject({ resultType: "complete", content: [{ text: kind }] });
  // An answer counts once.
  await request("tools/call", { name: "T", requestState, inputResponses: { answer } });
  expect(written[2].error.message).toContain("does not wait for an answer");
});

test("an answer for another call, or for none, is refused, and nothing runs", async () => {
  let runs = 0;
  const { request, written } = serving((call) => (runs++, asks(call)));
  await request("tools/call", { name: "T" });
  const { requestState } = written[0].result;
  const inputResponses = { answer: { action: "accept", content: { allow: true } } };
  await request("tools/call", { name: "Other", requestState, inputResponses });
  await request("tools/call", { name: "T", requestState: "made-up", inputResponses });
  await request("tools/call", { name: "T", requestState: 7, inputResponses });
  expect(written.slice(1).map(({ error }) => error?.code)).toEqual([-32602, -32602, -32602]);
  expect(runs).toBe(1);
});

test("progress goes to the request that waits, and cancelling it ends the call", async () => {
  const ended = Promise.withResolvers<boolean>();
  const { server, request, written } = serving(async ({ ask, progress, signal }) => {
    progress("before");
    await ask("Really?", FIELD, never);
    progress("after");
    return new Promise(() => signal.addEventListener("abort", () => ended.resolve(true)));
  });
  await request("tools/call", { name: "T" }, { progressToken: "one" });
  const { requestState } = written[1].result;
  const inputResponses = { answer: { action: "accept", content: { allow: true } } };
  await request("tools/call", { name: "T", requestState, inputResponses }, { progressToken: "two" });
  expect(written.map(({ params }) => params?.progressToken)).toEqual(["one", undefined, "two"]);
  server.receive('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}');
  expect(await ended.promise).toBe(true);
});

test("questions end when no one can answer any more", async () => {
  const kinds: string[] = [];
  const { server, request } = serving(async (call) => {
    kinds.push((await call.ask("Really?", FIELD, never)).kind);
    return DONE;
  });
  await request("tools/call", { name: "T" });
  server.closeQuestions();
  await settle();
  expect(kinds).toEqual(["failed"]);
});

// What an editor may send, right or wrong, and what it gets.

import { expect, test } from "bun:test";
import { startKeelson, temporaryHome } from "@keelson/testkit";
import { startEditor } from "./editor.ts";

const line = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;

test("what is no request is refused by its code, and the connection lives", async () => {
  using home = temporaryHome();
  await using editor = await startEditor({ home });
  const before = editor.messages.length;
  const raw = [
    "{broken\n",
    "[]\n",
    `[${line({ id: 7, method: "session/list" }).trim()}]\n`,
    "3\n",
    '"text"\n',
    "null\n",
    line({ id: "a", method: "no/such" }),
    line({ id: "b", method: "_vendor/thing" }),
    line({ id: "c", method: "toString" }),
    line({ method: "unknown/notification" }),
    line({ method: "$/cancel_request", params: { requestId: 99 } }),
    line({ method: "$/cancel_request", params: 5 }),
    line({ method: "session/cancel", params: { sessionId: "none" } }),
    line({ id: 98, result: {} }),
    line({ id: 97, error: { code: 1, message: "late" } }),
    line({ id: "d", method: "session/new", params: { cwd: "relative", mcpServers: [] } }),
    line({ id: "e", method: "session/new", params: [] }),
    line({ id: "f", method: "session/new", params: { cwd: home.project, mcpServers: [{ name: "x" }] } }),
    line({
      id: "g",
      method: "session/new",
      params: { cwd: home.project, mcpServers: [], additionalDirectories: ["up"] },
    }),
    line({ id: { odd: true }, method: "session/list" }),
    '{"id":"h","method":"session/list"}\n',
    "\n\r\n   \n",
    line({ id: "i", method: "session/prompt", params: { sessionId: "none", prompt: [] } }),
    line({ id: "j", method: "authenticate", params: { methodId: "none" } }),
    line({ id: "last", method: "session/list", params: { cwd: home.project } }).replace("\n", "\r\n"),
  ];
  editor.raw(raw.join(""));
  await editor.until(({ id }) => id === "last");
  const got = editor.messages.slice(before).map(({ id, error, result }) => [id, error?.code ?? result]);
  expect(got.slice(0, 6)).toEqual([[null, -32700], ...Array.from({ length: 5 }, () => [null, -32600])]);
  const sorted = Object.fromEntries(got.slice(6).map(([id, value]) => [String(id), value]));
  expect(got).toHaveLength(6 + Object.keys(sorted).length);
  expect(sorted).toEqual({
    a: -32601,
    b: -32601,
    c: -32601,
    d: -32602,
    e: -32602,
    f: -32602,
    g: -32602,
    null: -32600,
    h: -32600,
    i: -32002,
    j: -32602,
    last: { sessions: [] },
  });
});

test("a message may be split inside a character, and a line above 64 MB is refused without ending anything", async () => {
  using home = temporaryHome();
  await using editor = await startEditor({ home });
  const { program } = editor;
  const bytes = Buffer.from(line({ id: "split", method: "nö/💡" }));
  for (const byte of bytes) program.send(Uint8Array.of(byte));
  expect((await editor.until(({ id }) => id === "split")).error.code).toBe(-32601);
  const block = "x".repeat(1024 * 1024);
  program.send('{"id":1,"method":"');
  for (let sent = 0; sent < 70; sent++) program.send(block);
  program.send('"}\n');
  editor.raw(line({ id: "after", method: "session/list" }));
  await editor.until(({ id }) => id === "after");
  const refused = editor.messages.filter(({ id, error }) => id === null && error?.code === -32600);
  expect(refused.map(({ error }) => error.message)).toEqual(["The line is too long"]);
});

test("an initialize that is refused leaves the connection uninitialized", async () => {
  using home = temporaryHome();
  await using program = startKeelson(["acp"], { home, stdin: "open" });
  const ask = async (id: number, method: string, params: object) => {
    program.send({ jsonrpc: "2.0", id, method, params });
    return (await program.waitForLine((json: any) => json.id === id)).json as any;
  };
  expect((await ask(1, "initialize", {})).error.code).toBe(-32602);
  expect((await ask(2, "session/list", {})).error.code).toBe(-32600);
  expect((await ask(3, "initialize", { protocolVersion: 1 })).result.protocolVersion).toBe(1);
  expect((await ask(4, "session/list", {})).result).toEqual({ sessions: [] });
});

test("any version is answered with ours, and a request before initialize is an error", async () => {
  using home = temporaryHome();
  await using editor = await startEditor({ home });
  for (const protocolVersion of [0, 1, 2, 65_535]) {
    const { result } = await editor.request("initialize", {
      protocolVersion,
      clientCapabilities: { auth: { terminal: true } },
    });
    expect(result).toEqual({
      protocolVersion: 1,
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, embeddedContext: true, audio: false },
        mcpCapabilities: { http: true, sse: true },
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {} },
        auth: { logout: {} },
        _meta: { claudeCode: { promptQueueing: true } },
      },
      agentInfo: { name: "keelson", title: "Keelson", version: expect.any(String) },
      authMethods: [
        { id: "api-key", name: "API key", description: expect.any(String) },
        {
          type: "terminal",
          id: "terminal",
          name: "Store an API key",
          description: expect.any(String),
          args: ["--login"],
        },
      ],
      _meta: { steering: { supported: true } },
    });
  }
  expect((await editor.request("initialize", { protocolVersion: "1" })).error.code).toBe(-32602);
});

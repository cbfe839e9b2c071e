// Many tools of MCP servers: the model gets their names, and ToolSearch loads what it needs.

import { expect, test } from "bun:test";
import {
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  type RecordedRequest,
  type ScriptedReply,
} from "@keelson/testkit";
import { CHAT, control, messagesOf, prompt, resultOf, STREAM, told } from "../front-door.ts";
import { fakeServer, mcpNames, NO_WAIT, toolNames, withServers, type FakeScript } from "./fake.ts";

const call = (name: string, input = {}): ScriptedReply => ({ calls: [{ name, input }] });
const BETA = "advanced-tool-use-2025-11-20";
/** Its context window has 200,000 tokens, so that 80,000 characters of tools are a tenth of it. */
const SMALL_MODEL = "claude-haiku-4-5";

/** What a request says in text, with the reminders. */
const textIn = ({ body }: RecordedRequest): string =>
  body.messages
    .flatMap(({ content }: any) => (typeof content === "string" ? [{ text: content }] : content))
    .map(({ text = "" }: any) => text)
    .join("\n");

const inRequest = (request: RecordedRequest, name: string) =>
  request.body.tools.find((tool: { name: string }) => tool.name === name);

/** A first run that gives the servers time to connect, then the run of the script. */
async function converse(
  servers: Readonly<Record<string, Partial<FakeScript>>>,
  script: readonly ScriptedReply[],
  { env = {}, args = [] }: { readonly env?: Readonly<Record<string, string>>; readonly args?: readonly string[] } = {},
) {
  using home = temporaryHome();
  const fakes = Object.entries(servers).map(([name, fake]) => [name, fakeServer(home, name, fake)] as const);
  await using model = await startMockModel([{ text: "hello" }, ...script]);
  await using program = startKeelson(["-p", ...CHAT, ...withServers(Object.fromEntries(fakes)), ...args], {
    home,
    url: model.url,
    stdin: "open",
    env,
  });
  program.send(prompt("hello"));
  const first = await program.waitForLine(({ type }) => type === "result");
  await Promise.all(fakes.map(([, fake]) => fake.got("tools/list")));
  for (let at = 0, pending = fakes.length > 0; pending; at++) {
    program.send(control(`s${at}`, { subtype: "mcp_status" }));
    const { json } = await program.waitForLine(({ response }) => response?.request_id === `s${at}`);
    pending = json.response.response.mcpServers.some(({ status }: { status: string }) => status === "pending");
  }
  program.send(prompt("go"));
  await program.waitForLine(({ type }) => type === "result", { after: first });
  program.closeStdin();
  return { ended: await program.done, requests: model.requests };
}

test("ENABLE_TOOL_SEARCH=true: the model knows names, finds a tool, then calls it", async () => {
  const { ended, requests } = await converse(
    { srv: { tools: [{ name: "echo", description: "Parrots a text" }, "other"] } },
    [call("ToolSearch", { query: "parrots" }), call("mcp__srv__echo", { n: 1 }), { text: "done" }],
    { env: { ENABLE_TOOL_SEARCH: "true" }, args: ["--allowedTools", "mcp__srv"] },
  );
  const [, second, third, fourth] = requests as [RecordedRequest, RecordedRequest, RecordedRequest, RecordedRequest];
  expect(mcpNames(second)).toEqual([]);
  expect(toolNames(second)).toContain("ToolSearch");
  expect(toolNames(second)).not.toContain("NotebookEdit");
  expect(textIn(second)).toContain("mcp__srv__echo\nmcp__srv__other");
  expect(told(third)[0].content).toEqual([{ type: "tool_reference", tool_name: "mcp__srv__echo" }]);
  expect(inRequest(third, "mcp__srv__echo")).toMatchObject({ defer_loading: true, description: "Parrots a text" });
  expect(mcpNames(third)).toEqual(["mcp__srv__echo"]);
  expect(requests.map(({ headers }) => headers["anthropic-beta"]?.includes(BETA))).toEqual([true, true, true, true]);
  expect(told(fourth)[0]).toMatchObject({ content: [{ type: "text", text: 'echo {"n":1}' }] });
  const searched = messagesOf(ended, "user").find(({ tool_use_result }) => tool_use_result?.matches);
  expect(searched.tool_use_result).toMatchObject({ matches: ["mcp__srv__echo"], query: "parrots" });
  // Clients see all tools, deferred or not.
  expect(messagesOf(ended, "system/init").at(-1).tools).toEqual(
    expect.arrayContaining(["mcp__srv__echo", "mcp__srv__other", "NotebookEdit"]),
  );
});

test("a deferred tool that the model calls by name works, and rules apply to it", async () => {
  const { requests, ended } = await converse(
    { srv: { tools: ["echo", "other"] } },
    [{ calls: [...call("mcp__srv__echo").calls!, ...call("mcp__srv__other").calls!] }, { text: "done" }],
    { env: { ENABLE_TOOL_SEARCH: "true" }, args: ["--allowedTools", "mcp__srv__echo"] },
  );
  expect(told(requests[2]!)).toMatchObject([{ content: [{ type: "text", text: "echo {}" }] }, { is_error: true }]);
  expect(messagesOf(ended, "result").at(-1).permission_denials).toMatchObject([{ tool_name: "mcp__srv__other" }]);
});

test("ToolSearch waits for a server that is still connecting", async () => {
  using home = temporaryHome();
  const server = fakeServer(home, "srv", { isSlow: true });
  await using model = await startMockModel([call("ToolSearch", { query: "select:mcp__srv__echo" }), { text: "done" }]);
  await using program = startKeelson(["-p", "go", ...STREAM, ...withServers({ srv: server })], {
    home,
    url: model.url,
    env: { ENABLE_TOOL_SEARCH: "true", ...NO_WAIT },
  });
  await program.waitForLine(({ type }) => type === "assistant");
  server.open();
  const ended = await program.done;
  expect(textIn(model.requests[0]!)).toContain("still connecting: srv");
  expect(told(model.requests[1]!)[0].content).toEqual([{ type: "tool_reference", tool_name: "mcp__srv__echo" }]);
  expect(resultOf(ended).result).toBe("done");
});

test("tools that a server marks, and servers with alwaysLoad, are not deferred", async () => {
  using home = temporaryHome();
  const marked = { name: "marked", _meta: { "anthropic/alwaysLoad": true } };
  const one = fakeServer(home, "one", { tools: ["echo", marked] });
  const two = fakeServer(home, "two");
  await using model = await startMockModel([call("mcp__one__marked"), { text: "done" }]);
  await runKeelson(
    [
      "-p",
      "go",
      ...withServers({ one, two: { ...two.entry, alwaysLoad: true } }),
      "--allowedTools",
      "mcp__one",
      "mcp__two",
    ],
    { home, url: model.url, env: { ENABLE_TOOL_SEARCH: "true" } },
  );
  // The other server may have connected by then, too.
  expect(mcpNames(model.requests[0]!)).toContain("mcp__two__echo");
  expect(mcpNames(model.requests[1]!)).toEqual(["mcp__one__marked", "mcp__two__echo"]);
  expect(inRequest(model.requests[1]!, "mcp__two__echo").defer_loading).toBeUndefined();
});

test("with another provider, few tools are in the request; a tenth of the window is the limit", async () => {
  const { requests } = await converse({ srv: { count: 100 } }, [{ text: "done" }], { args: ["--model", SMALL_MODEL] });
  expect(mcpNames(requests[1]!).length).toBe(101);
  expect(textIn(requests[1]!)).not.toContain("ToolSearch can load");
  expect(requests[1]!.headers["anthropic-beta"] ?? "").not.toContain(BETA);
});

test("with another provider, many tools are deferred, and what ToolSearch finds is told in words", async () => {
  const { requests } = await converse(
    { srv: { count: 700 } },
    [call("ToolSearch", { query: "select:mcp__srv__tool_7" }), call("mcp__srv__tool_7"), { text: "done" }],
    { args: ["--model", SMALL_MODEL, "--allowedTools", "mcp__srv"] },
  );
  const [, second, third, fourth] = requests as [RecordedRequest, RecordedRequest, RecordedRequest, RecordedRequest];
  expect(mcpNames(second)).toEqual([]);
  expect(toolNames(second)).toContain("ToolSearch");
  expect(textIn(second)).toContain("701 of srv");
  expect(JSON.stringify(told(third)[0].content)).toContain("mcp__srv__tool_7");
  expect(JSON.stringify(requests.map(({ body }) => body))).not.toMatch(/tool_reference|defer_loading/);
  expect(requests.map(({ headers }) => headers["anthropic-beta"]?.includes(BETA) ?? false)).not.toContain(true);
  expect(mcpNames(third)).toEqual(["mcp__srv__tool_7"]);
  expect(told(fourth)[0]).toMatchObject({ content: [{ type: "text", text: "tool_7 {}" }] });
});

test.each(["true", "auto:1"])(
  "ENABLE_TOOL_SEARCH=%s: a thousand tools of twenty servers make a request at most 5 percent larger than none",
  async (mode) => {
    const servers = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`server${at}`, { tools: [], count: 50 }] as const),
    );
    const env = { ENABLE_TOOL_SEARCH: mode };
    const [none, many] = await Promise.all([
      converse({}, [{ text: "done" }], { env }),
      converse(servers, [{ text: "done" }], { env }),
    ]);
    const size = ({ requests }: typeof many) => JSON.stringify(requests[1]!.body).length;
    expect(textIn(many.requests[1]!)).toMatch(/10\d\d of server0, .*, server19\b/);
    expect(size(many) / size(none)).toBeLessThan(1.05);
  },
);

// Tools of MCP servers as the model gets and calls them: when they come, what they are called, who may call them, and what
// their results look like.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startKeelson, startMockModel, temporaryHome, type ScriptedReply } from "@keelson/testkit";
import { messagesOf, resultOf, STREAM, told, toolUseResults } from "../front-door.ts";
import { fakeServer, mcpNames, NO_WAIT, toolNames, withServers, type FakeScript } from "./fake.ts";

const call = (name: string, input = {}): ScriptedReply => ({ calls: [{ name, input }] });

test("without a wait, the first request has no tools of a server; a call of one waits for it", async () => {
  using home = temporaryHome();
  const server = fakeServer(home, "srv", { isSlow: true, tools: ["zeta", "echo", "alpha"] });
  await using model = await startMockModel([call("mcp__srv__echo", { text: "hi" }), { text: "done" }]);
  await using program = startKeelson(
    ["-p", "go", ...STREAM, ...withServers({ srv: server }), "--allowedTools", "mcp__srv"],
    { home, url: model.url, env: NO_WAIT },
  );
  await program.waitForLine(({ type }) => type === "assistant");
  // The model has called the tool, and the server has answered nothing.
  await server.started();
  server.open();
  const ended = await program.done;
  const [first, second] = model.requests;
  expect(messagesOf(ended, "system/init")[0]).toMatchObject({
    mcp_servers: [{ name: "srv", status: "pending", source: "dynamic" }],
  });
  expect(told(second!)).toMatchObject([
    { type: "tool_result", tool_use_id: "call_1_1", content: [{ type: "text", text: 'echo {"text":"hi"}' }] },
  ]);
  // The tools come after the built-in ones, which stay as they are for the provider's cache.
  expect(mcpNames(first!)).toEqual([]);
  expect(toolNames(second!)).toEqual([...toolNames(first!), "mcp__srv__alpha", "mcp__srv__echo", "mcp__srv__zeta"]);
  expect(resultOf(ended)).toMatchObject({ subtype: "success", result: "done", permission_denials: [] });
});

test("the tools of all servers are in the first request, in an order that does not depend on who was first", async () => {
  using home = temporaryHome();
  const [one, two] = [fakeServer(home, "one"), fakeServer(home, "two")];
  await using model = await startMockModel([{ text: "ok" }]);
  await using program = startKeelson(["-p", "go", ...STREAM, ...withServers({ two, one })], { home, url: model.url });
  const ended = await program.done;
  expect(mcpNames(model.requests[0]!)).toEqual(["mcp__one__echo", "mcp__two__echo"]);
  const [{ tools, mcp_servers }] = messagesOf(ended, "system/init") as [any];
  expect(mcp_servers).toEqual([
    { name: "one", status: "connected", source: "dynamic" },
    { name: "two", status: "connected", source: "dynamic" },
  ]);
  expect(tools.slice(-2)).toEqual(["mcp__one__echo", "mcp__two__echo"]);
});

/** One call of one server that is there from the start; the model then says "done". */
async function callOnce(
  tool: string,
  {
    name = "srv",
    input = {},
    args = [],
    settings,
    tools,
  }: {
    readonly name?: string;
    readonly input?: object;
    readonly args?: readonly string[];
    readonly settings?: object;
    readonly tools?: FakeScript["tools"];
  } = {},
) {
  using home = temporaryHome();
  const server = fakeServer(home, "fake", tools ? { tools } : { tools: [tool] });
  if (settings) home.settings(settings);
  const model = await startMockModel([
    call(tool.startsWith("mcp__") ? tool : `mcp__srv__${tool}`, input),
    { text: "done" },
  ]);
  await using _ = model;
  const ended = await runKeelson(
    ["-p", "go", ...STREAM, ...withServers({ [name]: { ...server.entry, alwaysLoad: true } }), ...args],
    { home, url: model.url },
  );
  const log = join(home.project, "hooks.log");
  const [answer] = told(model.requests[1]!);
  return {
    ended,
    requests: model.requests,
    told: answer,
    calls: server.notes.filter(({ got }) => got === "tools/call").map(({ params }) => params),
    hooked: existsSync(log)
      ? readFileSync(log, "utf8")
          .split("\n")
          .flatMap((line) => (line ? [JSON.parse(line)] : []))
      : [],
    saved: savedIn(JSON.stringify(answer)),
  };
}

/** What the file has that a result names. */
function savedIn(answer: string): string | undefined {
  const path = /\/[^\s"\\]+\.(?:txt|wav)/.exec(answer)?.[0];
  return path === undefined ? undefined : readFileSync(path, "utf8");
}

const ALLOWED = ["--allowedTools", "mcp__srv"];

test("names with blanks and dots become names that models can call; the server gets its own name", async () => {
  const { ended, calls } = await callOnce("mcp__my_srv_x__echo_it_now", {
    name: "my srv.x",
    tools: ["echo it.now"],
    input: { a: 1 },
    args: ["--allowedTools", "mcp__my_srv_x__echo_it_now"],
  });
  expect(calls).toEqual([
    {
      name: "echo it.now",
      arguments: { a: 1 },
      _meta: { progressToken: expect.anything(), "claudecode/toolUseId": "call_1_1" },
    },
  ]);
  expect(toolUseResults(ended)).toEqual([[{ type: "text", text: 'echo it.now {"a":1}' }]]);
  const [{ mcp_servers }] = messagesOf(ended, "system/init") as [any];
  expect(mcp_servers).toEqual([{ name: "my srv.x", status: "connected", source: "dynamic" }]);
  const [assistant] = messagesOf(ended, "assistant");
  expect(assistant.tool_use_meta).toEqual([
    { id: "call_1_1", display_name: "echo it.now", server_display_name: "my srv.x", tool_name: "echo it.now" },
  ]);
});

test("without a rule no one is there to ask, so the call is refused with the reason", async () => {
  const { ended, told, calls } = await callOnce("echo", { input: { a: 1 } });
  expect(calls).toEqual([]);
  expect(told).toMatchObject({ is_error: true, content: expect.stringContaining("mcp__srv__echo") });
  expect(resultOf(ended)).toMatchObject({
    result: "done",
    permission_denials: [{ tool_name: "mcp__srv__echo", tool_use_id: "call_1_1", tool_input: { a: 1 } }],
  });
});

test.each([
  ["one tool", "mcp__srv__echo", ["mcp__srv__other"]],
  ["a whole server", "mcp__srv", []],
  ["a whole server, with a star", "mcp__srv__*", []],
])("a rule that denies %s removes it before the model sees it", async (_, rule, left) => {
  const { told, requests, calls } = await callOnce("echo", {
    tools: ["echo", "other"],
    args: [...ALLOWED, "--disallowedTools", rule],
  });
  expect(mcpNames(requests[0]!)).toEqual(left);
  expect([told.is_error, calls]).toEqual([true, []]);
});

const logging = (reply = "{}") => ({
  type: "command",
  command: `{ cat; echo; } >>hooks.log; printf '%s' '${reply}'`,
});

test("hooks see the call and its result, with the name the model uses", async () => {
  const { hooked } = await callOnce("echo", {
    input: { a: 1 },
    args: ALLOWED,
    settings: {
      hooks: {
        PreToolUse: [{ matcher: "mcp__srv__.*", hooks: [logging()] }],
        PostToolUse: [{ matcher: "mcp__srv__echo", hooks: [logging()] }],
      },
    },
  });
  expect(hooked).toMatchObject([
    { hook_event_name: "PreToolUse", tool_name: "mcp__srv__echo", tool_input: { a: 1 } },
    {
      hook_event_name: "PostToolUse",
      tool_name: "mcp__srv__echo",
      tool_input: { a: 1 },
      tool_response: [{ type: "text", text: 'echo {"a":1}' }],
    },
  ]);
});

test("a hook blocks a call that a rule allows", async () => {
  const { told, calls } = await callOnce("echo", {
    args: ALLOWED,
    settings: {
      hooks: {
        PreToolUse: [{ matcher: "mcp__.*", hooks: [{ type: "command", command: "echo Not now >&2; exit 2" }] }],
      },
    },
  });
  expect(calls).toEqual([]);
  expect(told).toMatchObject({ is_error: true, content: expect.stringContaining("Not now") });
});

test("a result that the server calls an error is one, and PostToolUseFailure sees it", async () => {
  const { ended, told, hooked } = await callOnce("fail", {
    args: ALLOWED,
    settings: { hooks: { PostToolUseFailure: [{ hooks: [logging()] }], PostToolUse: [{ hooks: [logging()] }] } },
  });
  expect(told).toMatchObject({ is_error: true, content: "it broke" });
  expect(toolUseResults(ended)).toEqual(["Error: it broke"]);
  expect(hooked).toMatchObject([
    { hook_event_name: "PostToolUseFailure", tool_name: "mcp__srv__fail", error: "it broke" },
  ]);
});

test("pictures reach the model as pictures, structured content as JSON", async () => {
  const picture = await callOnce("picture", { args: ALLOWED });
  expect(picture.told.content).toMatchObject([
    { type: "image", source: { type: "base64", media_type: "image/png" } },
    { type: "text", text: expect.stringMatching(/^\[Image: source: \S+\.png\]$/) },
  ]);
  const structured = await callOnce("structured", { args: ALLOWED });
  expect(JSON.stringify(structured.told.content)).toContain('{\\"sum\\":3}');
});

test("an image that the API would reject does not reach it: damaged ones are described, large ones scaled down", async () => {
  const damaged = await callOnce("damaged", { args: ALLOWED });
  expect(damaged.told.content).toEqual([
    { type: "text", text: expect.stringMatching(/^\[Image from srv\] Binary content \(image\/png, .*\.png$/) },
  ]);
  const tall = await callOnce("tall", { args: ALLOWED });
  const [{ source }] = tall.told.content;
  const { width, height } = await new Bun.Image(Buffer.from(source.data, "base64")).metadata();
  expect([width, height]).toEqual([17, 1_568]);
});

test("binary content is saved to a file of its type, which the model may read", async () => {
  const { told, saved } = await callOnce("sound", { args: ALLOWED });
  const note = /^\[Audio from srv\] Binary content \(audio\/wav, 4 bytes\) saved to \S+\/mcp-srv-blob-\d+\.wav$/;
  expect(told.content).toEqual([{ type: "text", text: expect.stringMatching(note) }]);
  expect(saved).toBe("RIFF");
});

test("a result that is too long for the model is kept in a file, and the model is told where", async () => {
  const { told, saved, ended } = await callOnce("long", { args: ALLOWED });
  expect(told.is_error).toBeFalsy();
  const shown = typeof told.content === "string" ? told.content : told.content[0].text;
  expect(shown.length).toBeLessThan(20_000);
  expect(shown).toMatch(/tool-results\/mcp-srv-long-\d+\.txt/);
  expect(saved).toContain("a long line of text\n".repeat(20_000));
  expect(resultOf(ended).result).toBe("done");
});

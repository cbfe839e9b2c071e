// Clients that leave in the middle of something, and what a client that only watches may ask for.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ControlRequest, Outbound } from "@keelson/protocol";
import { startMockModel, temporaryHome, type ScriptedReply } from "@keelson/testkit";
import { openHere, TestClient } from "./live-session.ts";

const WRITE: ScriptedReply = { calls: [{ name: "Write", input: { file_path: "a.txt", content: "x" } }] };

const asks = (subtype: string) => (message: Outbound) =>
  message.type === "control_request" && message.request.subtype === subtype;

for (const [onFailure, isWritten] of [
  ["block", false],
  ["continue", true],
] as const) {
  test(`a hook with "onFailure": "${onFailure}" whose client leaves before it answers`, async () => {
    using home = temporaryHome();
    await using model = await startMockModel([WRITE, { text: "done" }]);
    const session = await openHere({ home, url: model.url, flags: { permissionMode: "acceptEdits" } });
    const [stays, guard] = [new TestClient(session), new TestClient(session)];
    guard.request("i", "initialize", { hooks: { PreToolUse: [{ hookCallbackIds: ["guard"], onFailure }] } });
    await guard.reply("i");
    stays.prompt("go");
    await guard.first(asks("hook_callback"));
    guard.client.detach();
    expect(await stays.result()).toMatchObject({ result: "done" });
    expect(existsSync(join(home.project, "a.txt"))).toBe(isWritten);
    await session.close("interrupt");
  });
}

test("a call of a tool whose client leaves is an error, and the run goes on", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    { calls: [{ name: "mcp__own__look", input: {} }] },
    { text: "done" },
    { text: "later" },
  ]);
  const session = await openHere({ home, url: model.url, flags: { allowedTools: ["mcp__own__look"] } });
  const [stays, owner] = [new TestClient(session), new TestClient(session)];
  owner.request("i", "initialize", { sdkMcpServers: ["own"] });
  await owner.reply("i");
  const called = answerMcp(owner);
  stays.prompt("go");
  await called;
  owner.client.detach();
  expect(await stays.result()).toMatchObject({ result: "done" });
  const last = JSON.stringify(model.requests.at(-1)?.body.messages.at(-1));
  expect(last).toContain('"is_error":true');
  stays.prompt("again");
  await stays.result(2);
  expect(JSON.stringify(model.requests.at(-1)?.body.tools)).not.toContain("mcp__own__look");
  await session.close("interrupt");
});

/** Answers everything but the call of the tool; resolves with that. */
async function answerMcp(client: TestClient): Promise<void> {
  const tools = [{ name: "look", inputSchema: { type: "object" } }];
  for (let from = 0; ;) {
    for (; from < client.got.length; from++) {
      const asked = client.got[from]!;
      if (!asks("mcp_message")(asked)) continue;
      const { request_id, request } = asked as ControlRequest;
      const { id, method } = (request as unknown as { message: { id?: number; method: string } }).message;
      if (method === "tools/call") return;
      const results: Record<string, object> = {
        initialize: {
          protocolVersion: "2025-06-18",
          capabilities: { tools: {} },
          serverInfo: { name: "own", version: "1" },
        },
        "tools/list": { tools },
      };
      client.answer(request_id, {
        mcp_response: { jsonrpc: "2.0", id: id ?? 0, result: results[method] ?? {} } as any,
      });
    }
    await client.more();
  }
}

test("a client that leaves while its initialize is answered leaves no hook behind", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "one" }]);
  const session = await openHere({ home, url: model.url });
  const [stays, leaves] = [new TestClient(session), new TestClient(session)];
  const hooks = { UserPromptSubmit: [{ hookCallbackIds: ["h"], onFailure: "block" }] };
  const agents = { left: { description: "d", prompt: "p" } };
  leaves.request("i", "initialize", { hooks, agents, sdkMcpServers: ["left"] });
  leaves.client.detach();
  stays.prompt("go");
  expect(await stays.result()).toMatchObject({ result: "one" });
  stays.request("h", "get_hooks_listing");
  expect((await stays.reply("h")).response.response.hooks).toEqual([]);
  stays.request("a", "list_agents");
  const listed = (await stays.reply("a")).response.response.agents.map(({ name }: { name: string }) => name);
  expect(listed).not.toContain("left");
  stays.request("m", "mcp_status");
  expect((await stays.reply("m")).response.response.mcpServers).toEqual([]);
  await session.close("interrupt");
});

test("a client answers no callback and no tool call of another", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([WRITE, { text: "done" }]);
  const session = await openHere({ home, url: model.url, flags: { permissionMode: "acceptEdits" } });
  const [guard, other] = [new TestClient(session), new TestClient(session)];
  guard.request("i", "initialize", { hooks: { PreToolUse: [{ hookCallbackIds: ["guard"] }] } });
  await guard.reply("i");
  other.prompt("go");
  const { request_id } = await guard.first(asks("hook_callback"));
  const say = (permissionDecision: string) => ({
    hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision },
  });
  other.answer(request_id, say("allow"));
  other.request("c", "mcp_status");
  await other.reply("c");
  guard.answer(request_id, say("deny"));
  await other.result();
  expect(existsSync(join(home.project, "a.txt"))).toBe(false);
  expect(other.got.filter(asks("hook_callback"))).toEqual([]);
  await session.close("interrupt");
});

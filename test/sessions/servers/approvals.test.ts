// Tools of servers that decide about other calls: `--permission-prompt-tool`, and hooks of the type `mcp_tool`.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { STREAM, told } from "../front-door.ts";
import { fakeServer, withServers } from "./fake.ts";

const MAKE = { calls: [{ name: "Bash", input: { command: "mkdir made" } }] };

test.each([
  ["allows", { behavior: "allow" }, true, undefined],
  ["denies", { behavior: "deny", message: "not on Mondays" }, false, "not on Mondays"],
  ["answers with something else", undefined, false, "did not answer with JSON"],
])("the tool of --permission-prompt-tool %s", async (_, reply, runs, says) => {
  using home = temporaryHome();
  const approves: Record<string, string> = reply === undefined ? {} : { Bash: JSON.stringify(reply) };
  const server = fakeServer(home, "guard", { tools: ["approve"], approves });
  await using model = await startMockModel([MAKE, { text: "done" }]);
  const flags = [...withServers({ guard: server }), "--permission-prompt-tool", "mcp__guard__approve"];
  await runKeelson(["-p", "go", ...STREAM, ...flags], { home, url: model.url });
  const [answer] = told(model.requests[1]!);
  expect([existsSync(join(home.project, "made")), answer.is_error]).toEqual([runs, !runs]);
  if (says !== undefined) expect(answer.content).toContain(says);
});

test("a hook of the type mcp_tool guards the first call, although its server is still connecting", async () => {
  using home = temporaryHome();
  const denial = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" } };
  const server = fakeServer(home, "guard", { tools: ["approve"], approves: { Bash: JSON.stringify(denial) } });
  const handler = { type: "mcp_tool", server: "guard", tool: "approve", input: { tool_name: "${tool_name}" } };
  home.write("~/.claude/settings.json", { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [handler] }] } });
  await using model = await startMockModel([MAKE, { text: "done" }]);
  await runKeelson(["-p", "go", ...STREAM, ...withServers({ guard: server }), "--allowedTools", "Bash"], {
    home,
    url: model.url,
  });
  expect([existsSync(join(home.project, "made")), told(model.requests[1]!)[0].is_error]).toEqual([false, true]);
});

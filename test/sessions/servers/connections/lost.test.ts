// Servers that crash, never start or never answer: the run continues, and everyone is told what is wrong.

import { expect, test } from "bun:test";
import { runKeelson, startKeelson, startMockModel, temporaryHome, type ScriptedReply } from "@keelson/testkit";
import { CHAT, control, messagesOf, prompt, resultOf, STREAM, told } from "../../front-door.ts";
import { gone } from "../../processes.ts";
import { fakeServer, mcpNames, withServers } from "../fake.ts";

const call = (name: string, input = {}): ScriptedReply => ({ calls: [{ name, input }] });

test("a server that crashes during a call: the call fails, the next one starts it again", async () => {
  using home = temporaryHome();
  const server = fakeServer(home, "srv", { tools: ["crash", "echo"] });
  await using model = await startMockModel([
    call("mcp__srv__crash"),
    call("mcp__srv__echo", { n: 1 }),
    call("mcp__srv__echo", { n: 2 }),
    { text: "done" },
  ]);
  const ended = await runKeelson(
    ["-p", "go", ...STREAM, ...withServers({ srv: server }), "--allowedTools", "mcp__srv"],
    { home, url: model.url },
  );
  const results = model.requests.slice(1).map((request) => told(request)[0]);
  expect(results).toMatchObject([
    { is_error: true, content: "MCP error -32000: Connection closed" },
    { content: [{ type: "text", text: 'echo {"n":1}' }] },
    { content: [{ type: "text", text: 'echo {"n":2}' }] },
  ]);
  // Lost for a moment, its tools stay in the request: leaving them out would cost the provider's cache.
  expect(model.requests.slice(1).map(mcpNames)).toEqual([
    ["mcp__srv__crash", "mcp__srv__echo"],
    ["mcp__srv__crash", "mcp__srv__echo"],
    ["mcp__srv__crash", "mcp__srv__echo"],
  ]);
  expect(server.pids.length).toBe(2);
  expect(resultOf(ended)).toMatchObject({ subtype: "success", result: "done" });
  for (const pid of server.pids) await gone(pid);
});

/** The servers as `mcp_status` lists them after one run, and the run's result. */
async function statusAfterRun(servers: Readonly<Record<string, object>>, env: Readonly<Record<string, string>> = {}) {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "done" }]);
  const broken = fakeServer(home, "broken", { exits: "no database at db.test" });
  const silent = fakeServer(home, "silent", { isSlow: true });
  const good = fakeServer(home, "good");
  const all = Object.fromEntries(
    Object.entries({ broken, silent, good }).map(([name, { entry }]) => [name, { ...entry, alwaysLoad: true }]),
  );
  await using program = startKeelson(["-p", ...CHAT, ...withServers({ ...all, ...servers })], {
    home,
    url: model.url,
    stdin: "open",
    env,
  });
  program.send(prompt("go"));
  await program.waitForLine(({ type }) => type === "result");
  const status = async (id: string): Promise<readonly any[]> => {
    program.send(control(id, { subtype: "mcp_status" }));
    const { json } = await program.waitForLine(({ response }) => response?.request_id === id);
    return json.response.response.mcpServers;
  };
  let seen = await status("0");
  for (let at = 1; seen.some((server) => server.status === "pending"); at++) {
    await Bun.sleep(20);
    seen = await status(String(at));
  }
  program.closeStdin();
  const ended = await program.done;
  for (const pid of [...silent.pids, ...broken.pids, ...good.pids]) await gone(pid);
  return { ended, request: model.requests[0]!, servers: seen };
}

test("a server that ends at once, one that never answers and one that is not there stop nothing", async () => {
  const missing = { command: "no-such-program-of-keelson", args: [], alwaysLoad: true };
  const { ended, request, servers } = await statusAfterRun({ missing }, { MCP_TIMEOUT: "1500" });
  expect(resultOf(ended)).toMatchObject({ subtype: "success", result: "done" });
  expect(mcpNames(request)).toEqual(["mcp__good__echo"]);
  expect(messagesOf(ended, "system/init")[0].mcp_servers).toEqual([
    { name: "broken", status: "failed", source: "dynamic" },
    { name: "good", status: "connected", source: "dynamic" },
    { name: "missing", status: "failed", source: "dynamic" },
    { name: "silent", status: expect.stringMatching(/^(?:failed|pending)$/), source: "dynamic" },
  ]);
  const errors = Object.fromEntries(servers.map(({ name, status, error }) => [name, [status, error]]));
  expect(errors).toEqual({
    broken: ["failed", "MCP error -32000: Connection closed. The program exited with code 3"],
    good: ["connected", undefined],
    missing: [
      "failed",
      'Program not found: "no-such-program-of-keelson". Install it, or correct the server\'s command',
    ],
    silent: ["failed", expect.stringMatching(/^MCP error -32001: Request timed out: no answer within [\d.]+ s$/)],
  });
});

test("a call of a server that failed is told why, and the run goes on", async () => {
  using home = temporaryHome();
  const broken = fakeServer(home, "broken", { exits: "no database at db.test" });
  await using model = await startMockModel([call("mcp__broken__echo"), { text: "done" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM, ...withServers({ broken }), "--allowedTools", "mcp__broken"], {
    home,
    url: model.url,
  });
  expect(told(model.requests[1]!)[0]).toMatchObject({
    is_error: true,
    content: expect.stringContaining("No such tool available: mcp__broken__echo"),
  });
  expect(resultOf(ended)).toMatchObject({ subtype: "success", result: "done" });
});

test("with CLAUDE_CODE_MCP_ALLOWLIST_ENV, a program gets its own variables and few others; a folder cannot change that", async () => {
  using home = temporaryHome();
  home.write(".claude/settings.json", { env: { CLAUDE_CODE_MCP_ALLOWLIST_ENV: "0" } });
  const entry = { command: "sh", args: ["-c", "env > seen.txt"], env: { OWN: "1" }, alwaysLoad: true };
  await using model = await startMockModel([{ text: "done" }, { text: "done" }]);
  const seen = async (env: Readonly<Record<string, string>>) => {
    await runKeelson(["-p", "go", ...withServers({ s: entry })], {
      home,
      url: model.url,
      env: { SECRET: "1", ...env },
    });
    const names: readonly string[] = home.read("seen.txt").match(/^\w+(?==)/gm) ?? [];
    return ["PATH", "HOME", "CLAUDE_PROJECT_DIR", "OWN", "SECRET"].filter((name) => names.includes(name));
  };
  expect(await seen({})).toEqual(["PATH", "HOME", "CLAUDE_PROJECT_DIR", "OWN", "SECRET"]);
  expect(await seen({ CLAUDE_CODE_MCP_ALLOWLIST_ENV: "1" })).toEqual(["PATH", "HOME", "CLAUDE_PROJECT_DIR", "OWN"]);
});

// Servers that misbehave, through the program: the run ends as usual, and memory stays limited.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { programCommand, startMockModel, temporaryHome } from "@keelson/testkit";
import { told } from "../../front-door.ts";
import { withServers } from "../fake.ts";

const PEER = join(import.meta.dir, "../../mcp/peers/hostile-main.ts");
/** Above a run without servers, in megabytes. Measured: 7 to 56. */
const MAX_GROWTH = 250;

/** Runs a session that calls a tool of the server; what the model read, and the peak of memory in megabytes. */
async function meet(how: string | undefined): Promise<{ readonly answer: string; readonly peakMb: number }> {
  using home = temporaryHome();
  const tool = how === "many-tools" ? "mcp__h__t1" : "mcp__h__go";
  const first = how === undefined ? { text: "done" } : { calls: [{ name: tool, input: {} }] };
  await using model = await startMockModel([first, { text: "done" }]);
  const entry = { command: process.execPath, args: [PEER, how ?? ""] };
  const servers = how === undefined ? [] : withServers({ h: entry });
  const program = Bun.spawn([...programCommand({ home }), "-p", "go", ...servers, "--allowedTools", "mcp__h"], {
    cwd: home.project,
    env: { ...home.env, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test-key", MCP_TOOL_TIMEOUT: "2000" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  });
  const out = await new Response(program.stdout).text();
  expect([out, await program.exited]).toEqual(["done\n", 0]);
  const answer = how === undefined ? "" : JSON.stringify(told(model.requests[1]!)[0].content);
  return { answer, peakMb: program.resourceUsage()!.maxRSS / 2 ** 20 };
}

test.each([
  ["sends 200 MB", "big-result", "more than 16 MiB"],
  ["writes to stderr without end", "endless-stderr", "fine"],
  ["sends endless messages", "endless-messages", "Request timed out"],
  ["sends invalid JSON", "invalid-json", "after"],
  ["crashes during a call", "crash", "Connection closed"],
  ["has 5,000 tools", "many-tools", "fine"],
])("a server that %s does no harm to the session", async (_, how, says) => {
  const plain = await meet(undefined);
  const { answer, peakMb } = await meet(how);
  expect(answer).toContain(says);
  expect(peakMb - plain.peakMb).toBeLessThan(MAX_GROWTH);
});

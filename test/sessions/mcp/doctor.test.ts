// keelson doctor: which MCP servers are used, which are not and why, without a connection.

import { expect, test } from "bun:test";
import { runKeelson, temporaryHome } from "@keelson/testkit";
import { fakeServer } from "../servers/fake.ts";

test("doctor counts the servers that are used, and says why others are not", async () => {
  using home = temporaryHome();
  const fake = fakeServer(home, "good");
  let asked = 0;
  using web = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => (asked++, new Response()) });
  home.write("~/.claude.json", {
    mcpServers: {
      good: fake.entry,
      docs: { type: "http", url: web.url.href },
      gone: { command: "no-such-program-here" },
      wrong: { url: "https://a.test/" },
      banned: { command: "/bin/true" },
    },
  });
  home.write("~/.claude/settings.json", { deniedMcpServers: [{ serverName: "banned" }] });
  home.write(".mcp.json", { mcpServers: { repo: { command: "/bin/true" } } });
  const { stdout, code } = await runKeelson(["doctor", "--json"], { home });
  const { findings } = JSON.parse(stdout);
  const finding = findings.find(({ name }: any) => name === "MCP servers");
  expect(JSON.stringify(findings.find(({ name }: any) => name === "settings"))).not.toContain("MCP server");
  expect(finding).toEqual({
    name: "MCP servers",
    state: "broken",
    text: "4 used, 2 not used: docs (http), gone (stdio), good (stdio), repo (stdio)",
    details: [
      'gone [user]: program not found: "no-such-program-here"; install it, or correct the command',
      "repo [project]: not approved, so only headless sessions use it; run: keelson mcp approve repo",
      'wrong [user]: It has a "url" but no "type"; add "type": "http" ("sse" and "ws" are others)',
      "banned [user]: The setting deniedMcpServers names it",
    ],
  });
  // Nothing was started or contacted. The entry without a type is a problem; the others are notes.
  expect([code, fake.pids, asked]).toEqual([1, [], 0]);
});

test("doctor says nothing of MCP servers where none is configured", async () => {
  using home = temporaryHome();
  expect((await runKeelson(["doctor"], { home })).stdout).not.toContain("MCP");
});

// A server's program in the sandbox, as the user's settings say: it may do what commands may.

import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, testUnless } from "@keelson/testkit";
import { messagesOf, STREAM, told } from "../../front-door.ts";
import { confinementMissing } from "../../needs-bubblewrap.ts";
import { fakeServer } from "../fake.ts";

const sandboxed = testUnless(confinementMissing(["bwrap", "socat"]), test);

/** A folder outside the project and outside every temporary folder. */
function outsideFolder() {
  const path = mkdtempSync("/var/tmp/keelson-outside-");
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

const SANDBOX = { enabled: true };

sandboxed.each([
  ["by its name is in the sandbox", { ...SANDBOX, mcpServers: { srv: true } }, "EROFS"],
  ["as one of the project is in the sandbox", { ...SANDBOX, projectMcpServers: true }, "EROFS"],
  ["without a sandbox is behind the shield", { mcpServers: { srv: true } }, "written"],
])("a server that is confined %s", async (_, sandbox, elsewhere) => {
  using home = temporaryHome({ git: true });
  using outside = outsideFolder();
  const server = fakeServer(home, "srv", { tools: ["write", "read"], folder: home.project });
  home.write(".mcp.json", { mcpServers: { srv: { ...server.entry, alwaysLoad: true } } });
  home.write(".env", "open-sesame");
  home.settings({ sandbox, permissions: { deny: ["Read(.env)"], allow: ["mcp__srv"] } });
  const inside = join(home.project, "in.txt");
  const steps = [
    { name: "mcp__srv__write", input: { path: inside } },
    { name: "mcp__srv__write", input: { path: join(outside.path, "out.txt") } },
    { name: "mcp__srv__write", input: { path: join(home.project, ".mcp.json") } },
    { name: "mcp__srv__read", input: { path: join(home.project, ".env") } },
  ];
  await using model = await startMockModel([...steps.map((call) => ({ calls: [call] })), { text: "done" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });
  expect(messagesOf(ended, "system/init")[0].mcp_servers).toMatchObject([{ name: "srv", status: "connected" }]);
  const answers = model.requests.slice(1).map((request) => told(request)[0].content[0].text);
  expect(answers).toEqual([
    "written",
    elsewhere,
    expect.stringMatching(/^E(?:ROFS|ACCES)$/),
    expect.stringMatching(/^E[A-Z]+$/),
  ]);
  expect([existsSync(inside), existsSync(join(outside.path, "out.txt"))]).toEqual([true, elsewhere === "written"]);
});

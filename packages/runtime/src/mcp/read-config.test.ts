import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load, type Flags } from "@keelson/config";
import { readConfig } from "./read-config.ts";

/** What a client gets when it names the program `f`: the names that are used, and why others are not. */
function answer(managed: Readonly<Record<string, unknown>>, flags: Flags = {}): readonly string[] {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-read-config-")));
  try {
    const managedDir = join(root, "managed");
    mkdirSync(managedDir);
    for (const [name, content] of Object.entries(managed)) {
      writeFileSync(join(managedDir, name), JSON.stringify(content));
    }
    const snapshot = load({ cwd: root, home: root, env: {}, flags, platform: "linux", managedDir });
    const { servers, unused } = readConfig({ f: { command: "f" } }, snapshot);
    return [...servers.map(({ name }) => name), ...unused.map(({ name, why }) => `${name}: ${why.replace(root, "")}`)];
  } finally {
    rmSync(root, { recursive: true });
  }
}

test("an administrator decides about the servers that a client names later as about those of --mcp-config", () => {
  const settings = (value: object) => ({ "managed-settings.json": value });
  expect(answer({})).toEqual(["f"]);
  expect(answer({ "managed-mcp.json": { mcpServers: {} } })).toEqual([
    "f: Only the servers in /managed/managed-mcp.json may be used; ask your administrator",
  ]);
  expect(answer(settings({ strictPluginOnlyCustomization: ["mcp"] }), { strictMcpConfig: true })).toEqual([
    "f: Managed settings allow only MCP servers of plugins (strictPluginOnlyCustomization)",
  ]);
  expect(answer(settings({ disableSideloadFlags: true }))).toEqual([
    "f: Managed settings do not allow MCP servers from clients (disableSideloadFlags)",
  ]);
  expect(answer(settings({ deniedMcpServers: [{ serverName: "f" }] }))).toEqual([
    "f: The setting deniedMcpServers names it",
  ]);
  expect(answer({}, { safe: true })).toEqual(["f: --safe-mode skips it"]);
});

// Temporary folders for tests of MCP configuration: a home, a project, an administrator's folder.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ConfiguredMcpServer, UnusedMcpServer } from "@keelson/protocol";
import type { LoadSettingsOptions } from "../load/gather.ts";
import { load } from "../load/load.ts";
import type { Flags } from "../load/snapshot.ts";

export function mcpWorld() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-mcp-")));
  const [home, cwd] = [join(root, "home"), join(root, "home", "work", "project")];
  mkdirSync(cwd, { recursive: true });

  const put = (path: string, content: unknown): string => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
    return file;
  };
  let global: Record<string, any> = {};
  const project = (more: object) => {
    global = { ...global, projects: { ...global["projects"], [cwd]: { ...global["projects"]?.[cwd], ...more } } };
    put("home/.claude.json", global);
  };

  return {
    root,
    home,
    cwd,
    put,
    user: (mcpServers: unknown) => put("home/.claude.json", (global = { ...global, mcpServers })),
    local: (mcpServers: unknown) => project({ mcpServers }),
    /** Adds to what the global config file holds about the project. */
    about: project,
    trust: () => project({ hasTrustDialogAccepted: true }),
    shared: (mcpServers: unknown, folder = "") => put(join("home/work/project", folder, ".mcp.json"), { mcpServers }),
    settings: (settings: unknown) => put("home/.claude/settings.json", settings),
    managed: (settings: unknown) => put("managed/managed-settings.json", settings),
    start: (flags: Flags = {}, more: Partial<LoadSettingsOptions> = {}) =>
      load({
        cwd,
        home,
        env: {},
        flags,
        platform: "linux",
        uid: process.getuid?.() ?? 1000,
        managedDir: join(root, "managed"),
        ...more,
      }),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** `scope name command-or-url`, sorted. */
export const used = ({ mcp }: { mcp: { servers: readonly ConfiguredMcpServer[] } }) =>
  mcp.servers.map(({ scope, name, config }) => {
    const target = config.type === "stdio" ? config.command : "url" in config ? config.url : "";
    return `${scope} ${name} ${target}`;
  });

/** `scope name status: why` */
export const notUsed = ({ mcp }: { mcp: { unused: readonly UnusedMcpServer[] } }) =>
  mcp.unused.map(({ scope, name, status, why }) => `${scope} ${name} ${status}: ${why}`);

// keelson mcp add-from-claude-desktop: copies the servers of Claude Desktop.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isObject, type JsonObject } from "@keelson/protocol";
import { UsageError } from "../../../args/invocation.ts";
import { printError, printWarning, type ProcessIO } from "../../../process/process-io.ts";
import { snapshotFor, type Invoked } from "../../group.ts";
import { visible } from "../../permissions/words.ts";
import { scopeOf, whyNot } from "./add.ts";
import { modifiedLine } from "../words.ts";

export async function addFromDesktop(call: Invoked): Promise<number> {
  const { words, io } = call;
  if (words.length > 0) throw new UsageError("usage: keelson mcp add-from-claude-desktop [-s <scope>]");
  const scope = scopeOf(call);
  const { addServer, approveServer, readServerFile } = await import("@keelson/config/mcp");
  const places = desktopFiles(io);
  const file = places.find((each) => existsSync(each));
  if (file === undefined) {
    return printError(io, `found no Claude Desktop configuration; looked for ${places.map(visible).join(", ")}`);
  }
  const servers = readServerFile(file, io.uid, (text) => printWarning(io, visible(text))) ?? [];
  if (servers.length === 0) return printError(io, `no MCP servers in ${visible(file)}`);

  const snapshot = await snapshotFor(call);
  let modified: string | undefined;
  for (const [name, raw] of servers) {
    const entry = (
      isObject(raw) && raw["type"] === undefined && raw["command"] !== undefined ? { type: "stdio", ...raw } : raw
    ) as JsonObject;
    const isOff = isObject(raw) && raw["disabled"] === true;
    const problem = isOff ? "it is disabled there" : await whyNot(name, entry, snapshot);
    const added =
      problem === undefined ? await addServer(name, entry, scope, snapshot) : { ok: false as const, problem };
    if (!added.ok) {
      printWarning(io, `skipped "${visible(name)}": ${visible(added.problem)}`);
      continue;
    }
    if (scope === "project") await approveServer({ name, written: entry }, snapshot);
    modified = added.file;
    await io.write(`Added MCP server ${visible(name)} to ${scope} config\n`);
  }
  if (modified !== undefined) await io.write(`${modifiedLine(modified, scope, snapshot.cwd)}\n`);
  return modified === undefined ? 1 : 0;
}

const NAME = join("Claude", "claude_desktop_config.json");

/** Where the file may be. Inside WSL, Claude Desktop runs on Windows. */
function desktopFiles({ home, platform }: ProcessIO): readonly string[] {
  if (platform === "darwin") return [join(home, "Library", "Application Support", NAME)];
  if (platform === "win32") return [join(home, "AppData", "Roaming", NAME)];
  return [join(home, ".config", NAME), ...windowsUsers().map((user) => join(user, "AppData", "Roaming", NAME))];
}

function windowsUsers(): readonly string[] {
  try {
    return readdirSync("/mnt/c/Users").map((name) => join("/mnt/c/Users", name));
  } catch {
    return [];
  }
}

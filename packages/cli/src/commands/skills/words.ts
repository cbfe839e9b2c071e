// How `keelson skills` words skills and estimates what they cost.

import type { Skill } from "@keelson/protocol";
import { visible } from "../permissions/words.ts";

/** An estimate: about four bytes per token. */
export const tokensOf = (text: string) => Math.ceil(Buffer.byteLength(text) / 4);

const SOURCES: Readonly<Record<Skill["source"], string>> = {
  managed: "managed",
  user: "user",
  project: "project",
  nested: "subfolder",
  directory: "--add-dir",
  plugin: "plugin",
  bundled: "built in",
  mcp: "MCP server",
};

/** `user`, `project command`, `plugin formatter`. */
export function skillSourceText({ source, kind, plugin }: Skill): string {
  const place = plugin === undefined ? SOURCES[source] : `plugin ${visible(plugin.name)}`;
  return kind === "command" ? `${place} command` : place;
}

// How `keelson agents` words agents.

import type { AgentDefinition } from "@keelson/protocol";
import { visible } from "../permissions/words.ts";

const SOURCES: Readonly<Record<AgentDefinition["source"], string>> = {
  managed: "managed",
  flag: "--agents",
  project: "project",
  user: "user",
  plugin: "plugin",
  "built-in": "built in",
};

/** `user`, `plugin formatter`. */
export function agentSourceText({ source, plugin }: AgentDefinition): string {
  return plugin === undefined ? SOURCES[source] : `plugin ${visible(plugin.name)}`;
}

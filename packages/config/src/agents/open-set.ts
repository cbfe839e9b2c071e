// Loads agents only if there can be any. Most folders have none, and then a session loads nothing but this.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { managedDirectory } from "../scopes/scopes.ts";
import type { AgentOptions, AgentSet, AgentSettings } from "./agent-set.ts";
import type * as Loading from "./load-agents.ts";

export type { AgentOptions, AgentSet, AgentSettings } from "./agent-set.ts";

/** Like `loadAgents`. Without agents, each place is looked at once. */
export function openAgentSet(settings: AgentSettings, options: AgentOptions = {}): AgentSet {
  if (hasAny(settings, options))
    return (require("./load-agents.ts") as typeof Loading).loadAgents(settings, { quick: true, ...options });
  const none: ReturnType<AgentSet["list"]> = [];
  return {
    list: () => none,
    find: () => undefined,
    problems: [],
    areChanged: () => hasAny(settings, options),
    saveIndex: () => undefined,
    reload: (next = settings) => openAgentSet(next, options),
  };
}

function hasAny(settings: AgentSettings, { client }: AgentOptions): boolean {
  const { flags, plugins } = settings;
  return (
    flags.agents !== undefined ||
    client?.() !== undefined ||
    plugins.active.some(({ agents }) => agents.length > 0) ||
    foldersIn(settings).some((folder) => existsSync(folder))
  );
}

/** Every folder that may hold agents. Which of them count is decided when they are loaded. */
function foldersIn({ cwd, configDir, flags, origin }: AgentSettings): readonly string[] {
  const managed = origin.managedDir ?? managedDirectory(origin.platform);
  const projects = upwards(flags.projectConfigRoot ?? cwd).map((folder) => join(folder, ".claude"));
  return [join(managed, ".claude"), configDir, ...projects].map((folder) => join(folder, "agents"));
}

function upwards(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...upwards(above)];
}

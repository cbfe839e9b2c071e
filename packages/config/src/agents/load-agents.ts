// The agents of a session: managed, given on the command line, of the project, of the user and of plugins. It reads the
// start of each file, runs nothing and keeps no state outside the set.

import { statSync, type Stats } from "node:fs";
import { basename, join } from "node:path";
import { findPlaces, isReserved } from "../skills/find/places.ts";
import { scanMarkdown } from "../skills/find/scan.ts";
import type { FileMark } from "../skills/index/skill-index.ts";
import type { AgentOptions, AgentSet, AgentSettings } from "./agent-set.ts";
import { agentPolicy } from "./withhold.ts";
import { createAgentCollector, type AgentCollector, type AgentOrigin } from "./collect.ts";

export function loadAgents(settings: AgentSettings, options: AgentOptions = {}): AgentSet {
  const collector = createAgentCollector(options.isDenied ?? (() => false), agentPolicy(settings));
  const { agents, problems, watched } = collector;
  const { places, off, missing } = findPlaces(settings, "agents");
  for (const path of missing) watched.set(path, undefined);
  problems.push(...off);

  const takePlaces = (isWanted: (origin: AgentOrigin) => boolean) => {
    for (const { folder, source, root, untrusted } of places) {
      const origin = { source: source as AgentOrigin["source"], root, untrusted };
      if (isWanted(origin)) takeFolder(join(folder, "agents"), origin, collector);
    }
  };
  takePlaces(({ source }) => source === "managed");
  takeGiven(settings, options, collector);
  takePlaces(({ source, untrusted }) => source === "project" && !untrusted);
  takePlaces(({ source }) => source === "user");
  // A folder that is not trusted takes no name of the user's own agents.
  takePlaces(({ source, untrusted }) => source === "project" && untrusted === true);
  takePlugins(settings, collector);

  const all = [...agents.values()];
  return {
    list: () => all,
    find: (name) => agents.get(name),
    problems,
    areChanged() {
      for (const [path, mark] of watched) if (!isSame(mark, lookAt(path))) return true;
      return false;
    },
    reload: (next = settings) => loadAgents(next, options),
  };
}

/** Those of the command line and of the client. */
function takeGiven({ flags, settings }: AgentSettings, { client }: AgentOptions, collector: AgentCollector): void {
  const given = [
    { agents: client?.(), from: "initialize" },
    { agents: flags.agents, from: "--agents" },
  ];
  for (const { agents, from } of given) {
    if (agents === undefined) continue;
    const why = isReserved(settings.strictPluginOnlyCustomization, "agents")
      ? "managed settings allow only agents of plugins (strictPluginOnlyCustomization)"
      : flags.safe
        ? "--safe-mode skips it"
        : undefined;
    if (why === undefined) collector.takeJson(agents, from);
    else collector.problems.push({ file: from, kind: "off", why });
  }
}

function takePlugins({ plugins }: AgentSettings, collector: AgentCollector): void {
  for (const { name, id, root, data, untrusted, agents } of plugins.active) {
    const origin: AgentOrigin = { source: "plugin", root, plugin: { name, id, root, data }, untrusted };
    for (const path of agents) {
      if (path.endsWith(".md"))
        collector.takeFile({ name: basename(path).slice(0, -3), file: path, found: path }, origin);
      else takeFolder(path, origin, collector);
    }
  }
}

function takeFolder(folder: string, origin: AgentOrigin, collector: AgentCollector): void {
  for (const found of scanMarkdown(folder, collector.scanOptions(origin.root), "agents"))
    collector.takeFile(found, origin);
}

function lookAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function isSame(before: FileMark | undefined, now: FileMark | undefined): boolean {
  if (before === undefined || now === undefined) return before === now;
  return before.ctimeMs === now.ctimeMs && before.size === now.size && before.ino === now.ino;
}

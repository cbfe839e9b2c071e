// The agents of a session: managed, given on the command line, of the project, of the user and of plugins. It reads the
// start of each file, runs nothing and keeps no state outside the set.

import { basename, join } from "node:path";
import { findPlaces, isReserved } from "../skills/find/places.ts";
import { scanMarkdown } from "../skills/find/scan.ts";
import type * as Save from "../skills/index/save-index.ts";
import type { FolderContent } from "../skills/index/save-index.ts";
import { LEAST_INDEXED, openIndex, type Recalled } from "../skills/index/skill-index.ts";
import { isMissing, isSameMark, lookAt } from "../skills/find/file-mark.ts";
import type * as Reading from "./agent-file.ts";
import type { ReadAgent } from "./agent-file.ts";
import type { AgentOptions, AgentSet, AgentSettings } from "./agent-set.ts";
import {
  agentForm,
  createAgentCollector,
  readyAgent,
  type AgentCollector,
  type AgentIndex,
  type AgentOrigin,
  type ReadyAgent,
} from "./collect.ts";
import type * as Beliefs from "../trust/belief.ts";
import { agentPolicy } from "./withhold.ts";

export function loadAgents(settings: AgentSettings, options: AgentOptions = {}): AgentSet {
  const { isDenied = () => false, now = Date.now } = options;
  const collector = createAgentCollector(isDenied, agentPolicy(settings));
  const { agents, problems, watched } = collector;
  const { places, off, missing } = findPlaces(settings, "agents");
  for (const path of missing) watched.set(path, undefined);
  problems.push(...off);

  const folders = openFolders(settings, options, collector);
  const takePlaces = (isWanted: (origin: AgentOrigin) => boolean) => {
    for (const { folder, source, base, root, untrusted } of places) {
      // Loaded late: few agents grant anything.
      const whyHeld = (file: string) =>
        (require("../trust/belief.ts") as typeof Beliefs).whyTextHeld(file, base, settings);
      const ofFolder = source === "project" ? { whyHeld } : {};
      const origin = { source: source as AgentOrigin["source"], root, untrusted, ...ofFolder };
      if (isWanted(origin)) folders.take(join(folder, "agents"), origin);
    }
  };
  takePlaces(({ source }) => source === "managed");
  takeGiven(settings, options, collector);
  takePlaces(({ source, untrusted }) => source === "project" && !untrusted);
  takePlaces(({ source }) => source === "user");
  // A folder that is not trusted takes no name of the user's own agents.
  takePlaces(({ source, untrusted }) => source === "project" && untrusted === true);
  takePlugins(settings, collector, folders);

  const all = [...agents.values()];
  /** Adds the files of believed indexes to those that are watched; a start has no time for it. */
  const watchAll = () => {
    for (const { marks } of folders.believed.splice(0))
      for (const [file, mark] of marks()) if (!watched.has(file)) watched.set(file, mark);
    return watched;
  };
  const isRecalled = folders.believed.length > 0;
  const set: AgentSet = {
    list: () => all,
    find: (name) => agents.get(name),
    problems,
    areChanged() {
      for (const [path, mark] of watchAll()) if (!isSameMark(mark, lookAt(path))) return true;
      return false;
    },
    saveIndex() {
      if (isRecalled && set.areChanged()) return loadAgents(settings, { ...options, quick: false }).saveIndex();
      for (const { index, origin, ...content } of folders.indexed.filter((each) => each.index.isOutdated())) {
        const { saveIndex } = require("../skills/index/save-index.ts") as typeof Save;
        const { agentReader } = require("./agent-file.ts") as typeof Reading;
        const pack = (entries: readonly AgentEntry[]) => ({
          items: entries.map((entry) => readyAgent(entry, origin) ?? entry),
          details: [],
        });
        saveIndex(settings.configDir, index.folder, { ...content, read: agentReader(), pack }, now());
      }
    },
    reload: (next = settings) => loadAgents(next, { ...options, quick: false }),
  };
  return set;
}

type AgentEntry = Parameters<typeof readyAgent>[0];

interface Folders {
  take(folder: string, origin: AgentOrigin): void;
  readonly indexed: (FolderContent & { readonly index: AgentIndex; readonly origin: AgentOrigin })[];
  /** What was taken from indexes without looking at the files. */
  readonly believed: Recalled<ReadAgent, ReadyAgent, null>[];
}

function openFolders(
  { configDir, origin: { uid } }: AgentSettings,
  { quick }: AgentOptions,
  collector: AgentCollector,
): Folders {
  const indexed: Folders["indexed"] = [];
  const believed: Folders["believed"] = [];
  const { watched } = collector;
  return {
    indexed,
    believed,
    take(folder, origin) {
      if (isMissing(folder)) return void watched.set(folder, undefined);
      // Where links may lead is part of the key, and what every agent gets from its place: an index that was made under
      // other conditions is another one.
      const { root = "", source, untrusted = false } = origin;
      const key = [folder, root, "agents", source, untrusted].join("\0");
      const open = () => openIndex(configDir, key, uid, agentForm);
      const recalled = quick ? open().recall() : undefined;
      if (recalled !== undefined) {
        for (const [path, mark] of recalled.folders) watched.set(path, mark);
        for (const item of recalled.items) collector.takeRecalled(item, origin);
        return void believed.push(recalled);
      }
      const before = watched.size;
      const found = scanMarkdown(folder, collector.scanOptions(origin.root), "agents");
      const searched = [...watched].slice(before);
      const index = found.length < LEAST_INDEXED ? undefined : open();
      if (index !== undefined) indexed.push({ index, origin, found, folders: searched });
      for (const file of found) collector.takeFile(file, origin, index);
    },
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
      : settings.disableSideloadFlags
        ? "managed settings do not allow agents from clients (disableSideloadFlags)"
        : flags.safe
          ? "--safe-mode skips it"
          : undefined;
    if (why === undefined) collector.takeJson(agents, from);
    else collector.problems.push({ file: from, kind: "off", why });
  }
}

function takePlugins({ plugins }: AgentSettings, collector: AgentCollector, folders: Folders): void {
  for (const { name, id, root, data, managed, untrusted, agents } of plugins.active) {
    const plugin = { name, id, root, data, ...(managed && { managed }) };
    const origin: AgentOrigin = { source: "plugin", root, plugin, untrusted };
    for (const path of agents) {
      if (!path.endsWith(".md")) folders.take(path, origin);
      else collector.takeFile({ name: basename(path).slice(0, -3), file: path, found: path }, origin);
    }
  }
}

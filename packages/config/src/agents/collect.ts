// Turns files and JSON into agents: each name once. The first one of a name wins, so the caller goes from the highest
// precedence to the lowest.

import { dirname } from "node:path";
import type { AgentDefinition, AgentProblem, AgentSource, JsonObject, PluginIdentity } from "@keelson/protocol";
import type { Mutable } from "../skills/facts.ts";
import type { ScanOptions, SkillFile } from "../skills/find/scan.ts";
import type { HeadProblem } from "../skills/frontmatter/head-node.ts";
import type * as Hooks from "../skills/hooks.ts";
import {
  isEntry,
  type FileIndex,
  type FileMark,
  type IndexEntry,
  type IndexItem,
  type ReadyForm,
} from "../skills/index/skill-index.ts";
import { isListable } from "../skills/plain.ts";
import type * as Reading from "./agent-file.ts";
import type { AgentFileReader, ReadAgent } from "./agent-file.ts";
import type * as Facts from "./facts.ts";
import type { AgentFacts } from "./facts.ts";
import type * as FromJson from "./from-json.ts";
import { withhold, type AgentPolicy } from "./withhold.ts";

export interface AgentOrigin {
  readonly source: AgentSource;
  /** Links may not lead out of this folder. Absent: anywhere. */
  readonly root?: string | undefined;
  readonly untrusted?: true | undefined;
  readonly plugin?: PluginIdentity;
  /** Of a trusted folder: why the file may not grant what it does now. */
  whyHeld?(file: string): string | undefined;
}

/** An agent of a file, as every session that finds it there has it. */
export type ReadyAgent = AgentDefinition & { readonly file: string };
/** A start lists all that they say, so there are no details. */
export type AgentIndex = FileIndex<ReadAgent, ReadyAgent, null>;

export interface AgentCollector {
  /** By name, in the order they were taken. */
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  readonly problems: AgentProblem[];
  /** What to compare to notice changes. */
  readonly watched: Map<string, FileMark | undefined>;
  takeFile(found: SkillFile, origin: AgentOrigin, index?: AgentIndex): void;
  /** Takes what an index says of a file. */
  takeRecalled(item: IndexItem<ReadAgent, ReadyAgent>, origin: AgentOrigin): void;
  /** `from` is where the object was given. */
  takeJson(given: JsonObject, from: string): void;
  scanOptions(root: string | undefined): ScanOptions;
}

const MOST_AGENTS = 5_000;
const MOST_PROBLEMS = 1_000;

export function createAgentCollector(isDenied: (path: string) => boolean, policy: AgentPolicy = {}): AgentCollector {
  let reader: AgentFileReader | undefined;
  const agents = new Map<string, AgentDefinition>();
  /** By name: where the agent is. */
  const places = new Map<string, string>();
  const files = new Set<string>();
  const problems: AgentProblem[] = [];
  const watched = new Map<string, FileMark | undefined>();
  const report = (problem: AgentProblem) => {
    if (problems.length < MOST_PROBLEMS) problems.push(problem);
  };
  const refuse = (file: string, why: string) => report({ file, kind: "unused", why });
  const watch = (path: string, mark: FileMark | undefined) => void watched.set(path, mark);
  const scanOptions = (root: string | undefined): ScanOptions => ({ root, isDenied, watch, refuse, stray: () => {} });

  /** Adds it, unless its name is taken. */
  const add = (facts: AgentFacts, name: string, given: Given) => {
    const { place, origin, odd } = given;
    if (!isListable(name)) return refuse(place, "its name has characters that cannot be shown; rename it");
    const other = places.get(name);
    if (other !== undefined) {
      const why = origin.untrusted
        ? `${name} is ${other}, which an agent of a folder that is not trusted does not replace`
        : `${name} is ${other}; rename one of them`;
      return report({ file: place, kind: "shadowed", why });
    }
    if (agents.size >= MOST_AGENTS) return refuse(place, `there are more than ${MOST_AGENTS} agents`);
    places.set(name, place);
    for (const problem of given.oddities) odd(problem);
    agents.set(name, definitionOf(facts, name, given, policy));
  };

  /** Takes what a file says, unless the file was taken. */
  const take = (found: SkillFile, file: string, read: ReadAgent, origin: AgentOrigin) => {
    if (files.has(file)) return;
    files.add(file);
    const { facts, why, isBare, oddities, lines } = read;
    const { plugin } = origin;
    const path = found.name.split(":");
    // Notes among agents are common.
    if (isBare && /^readme$/i.test(path.at(-1)!)) return;
    if (facts === undefined || (why !== undefined && plugin === undefined)) return refuse(found.found, why!);
    const odd = ({ line, why: problem }: HeadProblem) => report({ file: found.found, line, kind: "odd", why: problem });
    const given = { place: found.found, file, origin, lines, oddities, odd };
    if (plugin === undefined) return add(facts, facts.name, given);
    if (facts.draft.description === "") {
      facts.draft.description = `Agent from ${plugin.name} plugin`;
      odd({ line: 1, why: `there is no \`description\`, so it is listed as "${facts.draft.description}"; add one` });
    }
    // Folders inside the plugin's are part of the name.
    add(facts, [plugin.name, ...path.slice(0, -1), facts.name || path.at(-1)!].join(":"), given);
  };

  return {
    agents,
    problems,
    watched,
    scanOptions,
    takeFile(found, origin, index) {
      if (files.has(found.file)) return;
      const opened = (reader ??= openReader()).open(found, scanOptions(origin.root), index);
      if (opened !== undefined) take(found, opened.file, opened.read, origin);
    },
    takeRecalled(item, origin) {
      if (!isEntry(item)) {
        const { name, file } = item;
        if (agents.size >= MOST_AGENTS || places.has(name) || files.has(file))
          return take({ name, file, found: file }, file, factsOfReady(item), origin);
        files.add(file);
        places.set(name, file);
        return void agents.set(name, item);
      }
      const [file, read, name, found] = item;
      // Rules may have changed since the index was written.
      if (file !== found && (isDenied(found) || isDenied(file)))
        return refuse(found, "it links to a file that a rule denies reading");
      take({ name, file, found }, file, read, origin);
    },
    takeJson(given, from) {
      const { agentsInJson } = require("./from-json.ts") as typeof FromJson;
      const { agentFacts, clientFacts, linesOf } = require("./facts.ts") as typeof Facts;
      const at = (name: string) => (name === "" ? from : `${from}: ${name}`);
      for (const { name, fields, prompt } of agentsInJson(given, (bad, why) => refuse(at(bad), why))) {
        const oddities: HeadProblem[] = [];
        const odd = ({ why }: HeadProblem) => report({ file: at(name), kind: "odd", why });
        const page = { fields, report: (problem: HeadProblem) => void oddities.push(problem) };
        const facts = agentFacts(page);
        if (facts.lacks !== undefined) {
          refuse(at(name), name.trim() === "" ? "it has no name" : "it has no `description`; add one");
          continue;
        }
        Object.assign(facts.draft, clientFacts(page));
        add(facts, facts.name, {
          place: at(name),
          prompt,
          origin: { source: "flag" },
          lines: linesOf(fields),
          oddities,
          odd,
        });
      }
    },
  };
}

/** Loaded late: a large folder whose index is believed needs no parser. */
const openReader = (): AgentFileReader => (require("./agent-file.ts") as typeof Reading).createAgentFileReader();

/** For the index: the agent itself, if nothing in it depends on settings or on what its folder may do. */
export function readyAgent([file, read, , found]: IndexEntry<ReadAgent>, origin: AgentOrigin): ReadyAgent | undefined {
  const { facts, why, oddities, lines } = read;
  if (facts === undefined || why !== undefined || oddities.length > 0 || Object.keys(lines).length > 0)
    return undefined;
  const { draft, hooks, name } = facts;
  const isPlain = hooks === undefined && draft.mcpServers.length === 0 && draft.memory === undefined;
  const isUsual = origin.plugin === undefined && file === found && isListable(name);
  if (!isPlain || draft.permissionMode !== undefined || !isUsual) return undefined;
  const { source, untrusted } = origin;
  return { ...draft, name, source, hooks: [], file, ...(untrusted && { untrusted }) };
}

/** What the file of an agent in an index says. */
const factsOfReady = (agent: ReadyAgent): ReadAgent => ({
  facts: { name: agent.name, draft: agent },
  oddities: [],
  lines: {},
});

export const agentForm: ReadyForm<ReadAgent, ReadyAgent, null> = {
  filesOf: ({ file }) => [file],
  factsOf: factsOfReady,
};

interface Given {
  /** Where it is, for messages. */
  readonly place: string;
  readonly file?: string;
  readonly prompt?: string;
  readonly origin: AgentOrigin;
  readonly lines: ReadAgent["lines"];
  readonly oddities: readonly HeadProblem[];
  odd(problem: HeadProblem): void;
}

function definitionOf({ draft, hooks }: AgentFacts, name: string, given: Given, policy: AgentPolicy): AgentDefinition {
  const { file, prompt, origin, odd } = given;
  const { source, plugin } = origin;
  const mayGrant = file !== undefined && Object.keys(given.lines).length > 0;
  const held = mayGrant && !origin.untrusted ? origin.whyHeld?.(file) : undefined;
  if (held !== undefined) odd({ line: 1, why: held });
  const untrusted = origin.untrusted ?? held !== undefined;
  const agent = draft as Mutable<AgentDefinition>;
  agent.name = name;
  agent.source = source;
  agent.hooks = [];
  if (file !== undefined) agent.file = file;
  if (prompt !== undefined) agent.prompt = prompt;
  if (plugin !== undefined) agent.plugin = plugin;
  if (untrusted) agent.untrusted = true;
  if (hooks !== undefined) {
    // Loaded late: few agents have hooks.
    const { frontmatterHooks } = require("../skills/hooks.ts") as typeof Hooks;
    agent.hooks = frontmatterHooks(hooks, {
      ...(file !== undefined && { file, folder: dirname(file) }),
      plugin,
      source: "agent",
      managed: source === "managed",
      report: odd,
    });
  }
  withhold(agent, { ...given, policy });
  return agent;
}

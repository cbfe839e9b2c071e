// The agents of a session: which there are, which of them may be started, and what clients are told of them. Running them
// is not its concern.

import type { Snapshot } from "@keelson/config";
import type { AgentSet } from "@keelson/config/agent-set";
import type * as AgentText from "@keelson/config/agents";
import type { Rule } from "@keelson/engine";
import type * as EngineAgents from "@keelson/engine/agents";
import type { AgentDefinition, AgentProblem } from "@keelson/protocol";
import { builtInAgents } from "../built-in/built-in.ts";
import type * as BuiltInTexts from "../built-in/texts.ts";

export interface SessionAgentsOptions {
  snapshot(): Snapshot;
  /** Reads the files of agents, with those that the client gave. */
  load(): AgentSet;
  rules(): readonly Rule[];
}

/** An agent as clients list it. */
export interface ListedAgent {
  readonly name: string;
  readonly description: string;
  readonly model?: string;
}

export class SessionAgents {
  readonly #options: SessionAgentsOptions;
  #set: AgentSet;
  #isFresh = true;
  /** By name, built-in ones first. */
  #all: ReadonlyMap<string, AgentDefinition> = new Map();
  /** The agent that the session runs as may start only these. */
  #only: ReadonlySet<string> | undefined;

  constructor(options: SessionAgentsOptions) {
    this.#options = options;
    this.#set = options.load();
    this.#collect();
  }

  /** Every agent, whether or not rules let it be started. */
  get all(): readonly AgentDefinition[] {
    return [...this.#all.values()];
  }

  /** Those that may be started. */
  get offered(): readonly AgentDefinition[] {
    const rules = this.#options.rules();
    const agents = this.#only ? this.all.filter(({ name }) => this.#only!.has(name)) : this.all;
    // Most sessions have no such rule.
    if (!rules.some(({ behavior, tool }) => behavior === "deny" && /^(?:Agent|Task|.*\*)/.test(tool))) return agents;
    return (require("@keelson/engine/agents") as typeof EngineAgents).agentsLeft(agents, rules);
  }

  get problems(): readonly AgentProblem[] {
    return this.#set.problems;
  }

  find(name: string): AgentDefinition | undefined {
    return this.#all.get(name);
  }

  /** Lets the session start only these, or any. */
  limitTo(names: readonly string[] | undefined): void {
    this.#only = names && new Set(names);
  }

  /** Reads the files again, with the settings that now apply. */
  reload(): void {
    this.#set = this.#set.reload(this.#options.snapshot());
    this.#collect();
  }

  /** Whether files were added, changed or removed. Not looked up again right after they were read. */
  areChanged(): boolean {
    if (this.#isFresh) return (this.#isFresh = false);
    return this.#set.areChanged();
  }

  /** What the agent is told. Rejects with a sentence for the user if its file cannot be read. */
  async text(agent: AgentDefinition): Promise<string> {
    if (agent.source === "built-in") {
      const { builtInText } = require("../built-in/texts.ts") as typeof BuiltInTexts;
      return builtInText(agent.name);
    }
    return (require("@keelson/config/agents") as typeof AgentText).agentText(agent);
  }

  /** What clients list. */
  listed(): readonly ListedAgent[] {
    return this.offered.map(({ name, description, model }) => ({
      name,
      description,
      ...(model === undefined ? {} : { model }),
    }));
  }

  #collect(): void {
    this.#all = usableAgents(this.#set.list(), this.#options.snapshot());
  }
}

/** By name: built-in agents first, each replaced by one of the same name. */
export function usableAgents(
  found: readonly AgentDefinition[],
  { env }: Pick<Snapshot, "env">,
): ReadonlyMap<string, AgentDefinition> {
  const all = new Map<string, AgentDefinition>();
  for (const agent of [...builtInAgents(env), ...found]) all.set(agent.name, agent);
  return all;
}

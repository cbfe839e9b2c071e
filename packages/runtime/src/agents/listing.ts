// What the model has been told about agents. Those it does not know yet are listed with the next request, so that the
// description of the tool never changes.

import { agentListing, agentListingLimits } from "@keelson/engine/agent-listing";
import { asReminder, type AgentDefinition, type NewEntry } from "@keelson/protocol";
import type * as Told from "./told-agents.ts";

/** Loaded late: only resumed conversations have been told of any, and few lists change. */
export const toldAgents = () => require("./told-agents.ts") as typeof Told;

export class AgentListing {
  readonly #newId: () => string;
  #told: Set<string>;
  /** The model knows these, and no others. */
  #known: readonly AgentDefinition[] | undefined;

  /** `told` are the names that the conversation so far lists. */
  constructor(told: Iterable<string>, newId: () => string) {
    this.#newId = newId;
    this.#told = new Set(told);
  }

  /** Another conversation knows only those that it lists. */
  restart(told: Iterable<string> = []): void {
    this.#told = new Set(told);
    this.#known = undefined;
  }

  take(agents: readonly AgentDefinition[], contextWindow: number): NewEntry | undefined {
    if (agents === this.#known) return undefined;
    this.#known = agents;
    const isInitial = this.#told.size === 0;
    const fresh = isInitial ? agents : agents.filter(({ name }) => !this.#told.has(name));
    const gone = isInitial ? [] : goneFrom(this.#told, agents);
    if (fresh.length === 0 && gone.length === 0) return undefined;
    for (const { name } of fresh) this.#told.add(name);
    for (const name of gone) this.#told.delete(name);
    const listed = agentListing(fresh, agentListingLimits(contextWindow));
    const over = gone.length === 0 ? undefined : toldAgents().leftText(gone);
    const content = [listed, over].filter((part) => part !== undefined).join("\n\n");
    return {
      type: "attachment",
      uuid: this.#newId(),
      attachment: {
        type: "agent_listing_delta",
        addedTypes: fresh.map(({ name }) => name),
        addedLines: (listed ?? "").split("\n").filter((line) => line.startsWith("- ")),
        removedTypes: gone,
        isInitial,
      },
      rendered: [{ content: asReminder(content) }],
      renderedRole: "user",
    };
  }
}

function goneFrom(told: ReadonlySet<string>, agents: readonly AgentDefinition[]): readonly string[] {
  const known = new Set(agents.map(({ name }) => name));
  return [...told].filter((name) => !known.has(name));
}

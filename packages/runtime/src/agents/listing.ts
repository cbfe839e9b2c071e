// What the model has been told about agents. Those it does not know yet are listed with the next request, so that the
// description of the tool never changes.

import { asReminder } from "@keelson/engine";
import { agentListing, agentListingLimits } from "@keelson/engine/agent-listing";
import type { AgentDefinition, ChainSubject, NewEntry } from "@keelson/protocol";

const KIND = "agent_listing_delta";

export class AgentListing {
  readonly #newId: () => string;
  readonly #told: Set<string>;
  /** The model knows these, and no others. */
  #known: readonly AgentDefinition[] | undefined;

  /** `past` is the conversation so far. */
  constructor(past: Iterable<ChainSubject>, newId: () => string) {
    this.#newId = newId;
    this.#told = new Set(toldIn(past));
  }

  /** Another conversation knows only those that it lists. */
  restart(past: Iterable<ChainSubject> = []): void {
    this.#told.clear();
    this.#known = undefined;
    for (const name of toldIn(past)) this.#told.add(name);
  }

  take(agents: readonly AgentDefinition[], contextWindow: number): NewEntry | undefined {
    if (agents === this.#known) return undefined;
    this.#known = agents;
    const fresh = agents.filter(({ name }) => !this.#told.has(name));
    const isInitial = this.#told.size === 0;
    const gone = isInitial ? [] : goneFrom(this.#told, agents);
    if (fresh.length === 0 && gone.length === 0) return undefined;
    for (const { name } of fresh) this.#told.add(name);
    for (const name of gone) this.#told.delete(name);
    const listed = agentListing(fresh, agentListingLimits(contextWindow));
    const over = gone.length === 0 ? undefined : `These agents are no longer available: ${namesInShort(gone)}`;
    const content = [listed, over].filter((part) => part !== undefined).join("\n\n");
    return {
      type: "attachment",
      uuid: this.#newId(),
      attachment: {
        type: KIND,
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

const LONGEST_NAMES = 4_000;

/** As many names as there is room for. */
export function namesInShort(names: readonly string[]): string {
  let room = LONGEST_NAMES;
  const end = names.findIndex((name) => (room -= name.length + 2) < 0);
  if (end < 0) return names.join(", ");
  return `${names.slice(0, end).join(", ")} and ${names.length - end} more`;
}

function toldIn(past: Iterable<ChainSubject>): readonly string[] {
  const told = new Set<string>();
  for (const entry of past) {
    if (entry.type !== "attachment" || entry.attachment.type !== KIND) continue;
    const { addedTypes, removedTypes } = entry.attachment as { addedTypes?: unknown; removedTypes?: unknown };
    for (const name of namesIn(addedTypes)) told.add(name);
    for (const name of namesIn(removedTypes)) told.delete(name);
  }
  return [...told];
}

const namesIn = (value: unknown) => (Array.isArray(value) ? value.filter((name) => typeof name === "string") : []);

// What was said beside the conversation, such as warnings, how a run ended, how long a thought took and what a subagent did: no
// transcript of the session has it, so this tab keeps it until it is closed, and shows it again after a reload.

import type { LimitItem, NoteItem, SubagentProgress } from "@keelson/client";

export type KeptItem = NoteItem | LimitItem;

interface Kept {
  readonly items: readonly { readonly after: string; readonly item: KeptItem }[];
  /** In milliseconds, by the message that ended the thought. */
  readonly thoughts: readonly (readonly [message: string, ms: number])[];
  /** Why calls were denied. */
  readonly denials: readonly (readonly [call: string, why: string])[];
  /** What the subagents of calls did. */
  readonly agents: readonly (readonly [call: string, did: SubagentProgress])[];
}

const NOTHING: Kept = { items: [], thoughts: [], denials: [], agents: [] };
/** Of each kind, the newest. */
const MOST = 200;
const MOST_TEXT = 4_000;

export class KeptNotes {
  readonly #key: string;
  #kept: Kept;
  /** Items that are still to be shown, by the message that they came after. */
  #due = new Map<string, KeptItem[]>();

  constructor(session: string) {
    this.#key = `keelson-notes-${session}`;
    this.#kept = read(this.#key);
    this.startOver();
  }

  /** The conversation is shown from its beginning, or from where it is read. */
  startOver(): void {
    const groups = Map.groupBy(this.#kept.items, ({ after }) => after);
    this.#due = new Map([...groups].map(([after, items]) => [after, items.map(({ item }) => item)]));
  }

  /** Once. */
  takeAfter(message: string): readonly KeptItem[] {
    const items = this.#due.get(message) ?? [];
    this.#due.delete(message);
    return items;
  }

  add(after: string, item: KeptItem): void {
    if (item.kind === "note" && item.text.length > MOST_TEXT) return;
    this.#keep({ ...this.#kept, items: [...this.#kept.items, { after, item }].slice(-MOST) });
  }

  thought(message: string): number | undefined {
    return this.#kept.thoughts.find(([id]) => id === message)?.[1];
  }

  addThought(message: string, ms: number): void {
    if (this.thought(message) === undefined)
      this.#keep({ ...this.#kept, thoughts: [...this.#kept.thoughts, [message, ms] as const].slice(-MOST) });
  }

  denial(call: string): string | undefined {
    return this.#kept.denials.find(([id]) => id === call)?.[1];
  }

  addDenial(call: string, why: string): void {
    if (why.length <= MOST_TEXT && this.denial(call) === undefined)
      this.#keep({ ...this.#kept, denials: [...this.#kept.denials, [call, why] as const].slice(-MOST) });
  }

  agent(call: string): SubagentProgress | undefined {
    return this.#kept.agents.find(([id]) => id === call)?.[1];
  }

  addAgent(call: string, did: SubagentProgress): void {
    if (JSON.stringify(did).length <= MOST_TEXT && this.agent(call) === undefined)
      this.#keep({ ...this.#kept, agents: [...this.#kept.agents, [call, did] as const].slice(-MOST) });
  }

  #keep(kept: Kept): void {
    this.#kept = kept;
    try {
      sessionStorage.setItem(this.#key, JSON.stringify(kept));
    } catch {
      // There is no room for it.
    }
  }
}

/** As this page wrote it: no other site can. */
function read(key: string): Kept {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(key) ?? "null");
    return typeof value === "object" && value !== null ? { ...NOTHING, ...value } : NOTHING;
  } catch {
    return NOTHING;
  }
}

// What was said beside the conversation, such as warnings, how a run ended, how long a thought took and what a subagent did: no
// transcript of the session has it, so this tab keeps it until it is closed, and shows it again after a reload.

import type { LimitItem, NoteItem, SubagentProgress } from "@keelson/client";

export type KeptItem = NoteItem | LimitItem;

interface Kept {
  /** By the message that it came after. */
  readonly item: KeptItem;
  /** In milliseconds, by the message that ended the thought. */
  readonly thought: number;
  /** Why a call was denied. */
  readonly denial: string;
  /** What the subagent of a call did. */
  readonly agent: SubagentProgress;
}

type Fact = { [Kind in keyof Kept]: readonly [kind: Kind, id: string, value: Kept[Kind]] }[keyof Kept];

/** The newest. */
const MOST = 400;
const MOST_TEXT = 4_000;

export class KeptNotes {
  readonly #key: string;
  #facts: readonly Fact[];
  /** Messages after which everything is shown. */
  readonly #passed = new Set<string>();

  constructor(session: string) {
    this.#key = `keelson-notes-${session}`;
    this.#facts = read(this.#key);
  }

  /** The conversation is shown from its beginning, or from where it is read. */
  startOver(): void {
    this.#passed.clear();
  }

  /** The items that are to be shown behind a message, once. */
  takeAfter(message: string): readonly KeptItem[] {
    if (this.#passed.has(message)) return [];
    this.#passed.add(message);
    return this.#facts.flatMap(([kind, id, value]) => (kind === "item" && id === message ? [value] : []));
  }

  get<Kind extends keyof Kept>(kind: Kind, id: string): Kept[Kind] | undefined {
    return this.#facts.find((fact) => fact[0] === kind && fact[1] === id)?.[2] as Kept[Kind] | undefined;
  }

  add(...fact: Fact): void {
    const [kind, id, value] = fact;
    if ((kind !== "item" && this.get(kind, id) !== undefined) || JSON.stringify(value).length > MOST_TEXT) return;
    this.#facts = [...this.#facts, fact].slice(-MOST);
    try {
      sessionStorage.setItem(this.#key, JSON.stringify(this.#facts));
    } catch {
      // There is no room for it.
    }
  }
}

/** As this page wrote it: no other site can. */
function read(key: string): readonly Fact[] {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(key) ?? "[]");
    return Array.isArray(value) ? (value as Fact[]) : [];
  } catch {
    return [];
  }
}

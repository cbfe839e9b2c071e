// Which action a key has. The tables come first, then what keybindings.json changes in them.

import type { Key } from "../input/event.ts";
import { DEFAULT_KEYS, KEY_CONTEXTS, type KeyContext, RESERVED_KEYS } from "./defaults.ts";
import { parseKeystroke, showKeystroke, spellKey } from "./keystroke.ts";

export type KeyMeaning =
  | { readonly kind: "action"; readonly action: string }
  /** The start of a chord: give `keys` back with the next key. */
  | { readonly kind: "pending"; readonly keys: string }
  /** The user took the action off this key: it does nothing, not even what it would do in a text. */
  | { readonly kind: "unbound" };

/** By context: the spelling of a key or chord, and its action, or null if it was taken off. */
type KeyTable = Map<string, Map<string, string | null>>;

export class Bindings {
  readonly #table: KeyTable;
  readonly #starts = new Map<string, Set<string>>();

  private constructor(table: KeyTable) {
    this.#table = table;
    for (const [context, keys] of table) {
      const starts = new Set<string>();
      for (const [chord, action] of keys) {
        if (action === null) continue;
        const steps = chord.split(" ");
        for (let end = 1; end < steps.length; end += 1) starts.add(steps.slice(0, end).join(" "));
      }
      this.#starts.set(context, starts);
    }
  }

  /** Reads the text of keybindings.json over the tables. What is wrong is named and left out. */
  static read(text: string | undefined): { bindings: Bindings; problems: string[] } {
    const table: KeyTable = new Map(KEY_CONTEXTS.map((context) => [context, defaultsOf(context)]));
    const problems: string[] = [];
    if (text !== undefined && text.trim() !== "") change(table, text, problems);
    return { bindings: new Bindings(table), problems };
  }

  /** What a key means in these contexts, the innermost first. `pending` are the first keys of a chord. */
  action(contexts: readonly string[], key: Key, pending?: string): KeyMeaning | undefined {
    const pressed = spellKey(key);
    const found = this.#lookUp(contexts, pending === undefined ? pressed : `${pending} ${pressed}`);
    if (found || pending !== undefined || !key.shift) return found;
    // Some protocols tell the shift of `_`, others do not.
    const isSign = [...key.name].length === 1 && key.name.toLowerCase() === key.name.toUpperCase();
    return isSign ? this.#lookUp(contexts, spellKey({ ...key, shift: false })) : undefined;
  }

  /** The key of an action, for hints; empty if it has none. */
  keyFor(context: string, action: string): string {
    for (const [chord, bound] of this.#table.get(context) ?? []) if (bound === action) return showKeystroke(chord);
    return "";
  }

  #lookUp(contexts: readonly string[], chord: string): KeyMeaning | undefined {
    for (const context of contexts) {
      // A chord wins over its first key: or no one could type it.
      if (this.#starts.get(context)?.has(chord)) return { kind: "pending", keys: chord };
      const action = this.#table.get(context)?.get(chord);
      if (action === null) return { kind: "unbound" };
      if (action !== undefined) return { kind: "action", action };
    }
    return undefined;
  }
}

function defaultsOf(context: KeyContext): Map<string, string | null> {
  const keys = new Map<string, string>();
  for (const [action, written] of Object.entries(DEFAULT_KEYS[context])) {
    for (const key of written) keys.set(parseKeystroke(key) ?? key, action);
  }
  return keys;
}

function change(table: KeyTable, text: string, problems: string[]): void {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (error) {
    problems.push(`keybindings.json is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
    return;
  }
  const blocks = isRecord(file) ? file["bindings"] : undefined;
  if (!Array.isArray(blocks)) {
    problems.push('keybindings.json has no "bindings" array');
    return;
  }
  for (const [at, block] of blocks.entries()) changeBlock(table, block, at, problems);
}

function changeBlock(table: KeyTable, block: unknown, at: number, problems: string[]): void {
  const context = isRecord(block) ? block["context"] : undefined;
  const bindings = isRecord(block) ? block["bindings"] : undefined;
  const keys = typeof context === "string" ? table.get(context) : undefined;
  if (typeof context !== "string" || !keys) {
    problems.push(`bindings[${at}]: unknown context ${quote(context)}; use one of ${KEY_CONTEXTS.join(", ")}`);
    return;
  }
  if (!isRecord(bindings)) {
    problems.push(`bindings[${at}]: "bindings" must be an object of keys and actions`);
    return;
  }
  // What the user binds comes first, so that hints name it.
  const changed = new Map<string, string | null>();
  for (const [written, action] of Object.entries(bindings)) {
    const chord = parseKeystroke(written);
    const problem = whatIsWrong(written, chord, action) ?? mayNotAnswer(written, chord, action);
    if (problem !== undefined || chord === undefined) problems.push(`${context}: ${problem}`);
    else if (changed.has(chord)) problems.push(`${context}: key ${quote(written)} is bound twice; the first is used`);
    else changed.set(chord, typeof action === "string" ? action : null);
  }
  for (const [chord, action] of keys) if (!changed.has(chord)) changed.set(chord, action);
  table.set(context, changed);
}

function whatIsWrong(written: string, chord: string | undefined, action: unknown): string | undefined {
  if (chord === undefined) return `key ${quote(written)} is not a key; write it like "ctrl+k" or "ctrl+x ctrl+e"`;
  const reserved = RESERVED_KEYS[chord.split(" ")[0] ?? ""];
  if (reserved !== undefined) return `key ${quote(written)} cannot be bound: ${reserved}`;
  if (action === null || (typeof action === "string" && ACTIONS.has(action))) return undefined;
  return `key ${quote(written)}: unknown action ${quote(action)}`;
}

/** Actions that only move, show or refuse something. Every other one may answer a question. */
const CAUTIOUS =
  /^(?:scroll|tabs|selection|history|historySearch|help|transcript|diff|app|voice|attachments|theme|chat|footer|autocomplete):|^(?:confirm:(?:no|previous|next|nextField|previousField|toggleExplanation)|select:(?:previous|next|cancel)|messageSelector:(?:up|down|top|bottom)|settings:(?:search|retry)|modelPicker:.*|permission:toggleDebug|plugin:favorite|task:background)$/;

/** In a question, a key that is part of writing or moving must not become an answer: whoever types would approve. */
function mayNotAnswer(written: string, chord: string | undefined, action: unknown): string | undefined {
  if (chord === undefined || typeof action !== "string" || CAUTIOUS.test(action)) return undefined;
  const steps = chord.split(" ");
  // A text may end in "y" and Enter, so in a chord Enter is not enough.
  if (steps.some((step) => isAnswerKey(step) && (steps.length === 1 || !step.endsWith("enter")))) return undefined;
  return `key ${quote(written)} cannot be bound to ${action}: typing must not answer questions; use Enter, or a key with Ctrl, Alt or Cmd`;
}

/** Enter, function keys, Shift+Tab, and keys with a modifier that does not write. */
function isAnswerKey(step: string): boolean {
  if (/^(?:ctrl\+)?(?:shift\+)?[hijm[]$/.test(step)) return false; // terminals send Backspace, Tab, line ends and Esc for them
  return /^(?:.*\+)?enter$|^(?:.*\+)?f\d{1,2}$|^shift\+tab$|(?:ctrl|alt|super)\+/.test(step);
}

const ACTIONS = new Set(Object.values(DEFAULT_KEYS).flatMap((actions) => Object.keys(actions)));

function quote(value: unknown): string {
  return JSON.stringify(value) ?? "undefined";
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

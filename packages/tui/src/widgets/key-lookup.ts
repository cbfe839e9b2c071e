// Keys as widgets and dialogs ask for them: one key at a time. The first key of a chord is an action that means nothing.

import type { InputEvent, Key } from "../input/event.ts";
import { Bindings } from "../keys/bindings.ts";

export interface KeyLookup {
  /** The action of a key in the first of these contexts that binds it. */
  action(key: Key, contexts: readonly string[]): string | undefined;
  /** The key to name on the screen, like "Ctrl+E". Undefined if none is bound. */
  keyFor(action: string): string | undefined;
}

/** Where actions are bound, by the first part of their names. */
const CONTEXTS: Readonly<Record<string, string>> = {
  confirm: "Confirmation",
  select: "Select",
  tabs: "Tabs",
  scroll: "Scroll",
  chat: "Chat",
  app: "Global",
  history: "Global",
  task: "Task",
  transcript: "Transcript",
  diff: "DiffDialog",
  modelPicker: "ModelPicker",
  plugin: "Plugin",
  settings: "Settings",
};

/** For the first key of a chord, so that it does nothing else, and for a second one that does not belong to it. */
export const CHORD = "chord:pending";

export function keyLookup(bindings: Bindings): KeyLookup {
  // A key is looked up in several places, and all of them have to see the same chord.
  let last: Key | undefined;
  let begun: string | undefined;
  let next: string | undefined;
  return {
    action(key, contexts) {
      if (key !== last) [last, begun, next] = [key, next, undefined];
      const meaning = bindings.action(contexts, key, begun);
      if (meaning?.kind === "pending") next = meaning.keys;
      if (meaning?.kind === "pending" || (begun !== undefined && !meaning)) return CHORD;
      return meaning?.kind === "action" ? meaning.action : undefined;
    },
    keyFor: (action) => bindings.keyFor(CONTEXTS[action.split(":", 1)[0]!] ?? "", action) || undefined,
  };
}

let unchanged: KeyLookup | undefined;
/** Made when it is first used: the prompt does not wait for the tables. */
const withoutFile = () => (unchanged ??= keyLookup(Bindings.read(undefined).bindings));

/** As they are without keybindings.json. */
export const defaultKeys: KeyLookup = {
  action: (key, contexts) => withoutFile().action(key, contexts),
  keyFor: (action) => withoutFile().keyFor(action),
};

/** In a text field, such a key writes, whatever it is bound to. */
export function typesText(event: InputEvent): boolean {
  if (event.kind !== "key") return false;
  const { text, ctrl, alt, name } = event;
  return text !== undefined && !ctrl && !alt && name !== "enter" && name !== "tab";
}

// Which action a key stands for in a dialog. The table holds the defaults; keybindings.json may replace them.

import type { InputEvent, Key } from "../input/event.ts";

export interface KeyLookup {
  /** The action of a key in the first of these contexts that binds it. */
  action(key: Key, contexts: readonly string[]): string | undefined;
  /** The key to name on the screen, like "ctrl+e". Undefined if none is bound. */
  keyFor(action: string): string | undefined;
}

const DEFAULTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Confirmation: {
    enter: "confirm:yes",
    escape: "confirm:no",
    up: "confirm:previous",
    down: "confirm:next",
    tab: "confirm:nextField",
    space: "confirm:toggle",
    "shift+tab": "confirm:cycleMode",
    "ctrl+e": "confirm:toggleExplanation",
  },
  Select: {
    down: "select:next",
    j: "select:next",
    "ctrl+n": "select:next",
    up: "select:previous",
    k: "select:previous",
    "ctrl+p": "select:previous",
    enter: "select:accept",
    escape: "select:cancel",
  },
  Tabs: { right: "tabs:next", tab: "tabs:next", left: "tabs:previous", "shift+tab": "tabs:previous" },
  Scroll: {
    pageup: "scroll:pageUp",
    pagedown: "scroll:pageDown",
    "shift+up": "scroll:lineUp",
    "shift+down": "scroll:lineDown",
    "ctrl+home": "scroll:top",
    "ctrl+end": "scroll:bottom",
  },
  Chat: { "ctrl+g": "chat:externalEditor" },
  Global: { "ctrl+c": "app:interrupt" },
};

export const defaultKeys: KeyLookup = {
  action(key, contexts) {
    const name = chordOf(key);
    for (const context of contexts) {
      const found = DEFAULTS[context]?.[name];
      if (found !== undefined) return found;
    }
    return undefined;
  },
  keyFor(action) {
    for (const bound of Object.values(DEFAULTS)) {
      const found = Object.entries(bound).find(([, each]) => each === action);
      if (found) return found[0];
    }
    return undefined;
  },
};

/** In a text field, such a key writes, whatever it is bound to. */
export function typesText(event: InputEvent): boolean {
  if (event.kind !== "key") return false;
  const { text, ctrl, alt, name } = event;
  return text !== undefined && !ctrl && !alt && name !== "enter" && name !== "tab";
}

function chordOf({ name, ctrl, alt, shift, super: command }: Key): string {
  const parts = [ctrl && "ctrl", alt && "alt", shift && "shift", command && "super", name];
  return parts.filter(Boolean).join("+");
}

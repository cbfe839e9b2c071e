// What keys do in pickers, panels and viewers, where keybindings.json does not say otherwise.

import type { InputEvent, Key } from "../input/event.ts";
import { showKeystroke, spellKey } from "../keys/keystroke.ts";
import { CHORD, type KeyLookup } from "../widgets/key-lookup.ts";

type KeysOfPlace = Readonly<Record<string, string>>;

/** The first key of an action is the one that hints name. */
const PANEL_BINDINGS: Readonly<Record<string, KeysOfPlace>> = {
  Select: {
    up: "select:previous",
    down: "select:next",
    "ctrl+p": "select:previous",
    "ctrl+n": "select:next",
    pageup: "select:pageUp",
    pagedown: "select:pageDown",
    home: "select:first",
    end: "select:last",
    enter: "select:accept",
    escape: "select:cancel",
    "ctrl+c": "select:cancel",
  },
  Tabs: { tab: "tabs:next", "shift+tab": "tabs:previous", right: "tabs:next", left: "tabs:previous" },
  Settings: {
    "/": "settings:search",
    space: "select:accept",
    right: "settings:nextValue",
    left: "settings:previousValue",
  },
  Scroll: {
    up: "scroll:lineUp",
    down: "scroll:lineDown",
    k: "scroll:lineUp",
    j: "scroll:lineDown",
    enter: "scroll:lineDown",
    pageup: "scroll:pageUp",
    pagedown: "scroll:pageDown",
    space: "scroll:pageDown",
    "shift+space": "scroll:pageUp",
    b: "scroll:pageUp",
    f: "scroll:pageDown",
    "ctrl+b": "scroll:pageUp",
    "ctrl+f": "scroll:pageDown",
    "ctrl+u": "scroll:halfPageUp",
    "ctrl+d": "scroll:halfPageDown",
    u: "scroll:halfPageUp",
    d: "scroll:halfPageDown",
    g: "scroll:top",
    "shift+g": "scroll:bottom",
    home: "scroll:top",
    end: "scroll:bottom",
    "/": "scroll:search",
    n: "scroll:nextMatch",
    "shift+n": "scroll:previousMatch",
    escape: "scroll:close",
    q: "scroll:close",
    "ctrl+c": "scroll:close",
  },
  Transcript: {
    "[": "transcript:previousPrompt",
    "]": "transcript:nextPrompt",
    tab: "transcript:fold",
    "shift+tab": "transcript:foldAll",
    a: "transcript:agents",
  },
  // In DiffDialog, the arrows go from file to file; in a long diff they scroll.
  DiffViewer: {
    up: "scroll:lineUp",
    down: "scroll:lineDown",
    k: "scroll:lineUp",
    j: "scroll:lineDown",
    "]": "diffViewer:nextFile",
    "[": "diffViewer:previousFile",
    right: "diffViewer:nextFile",
    left: "diffViewer:previousFile",
    tab: "diffViewer:fold",
    "shift+tab": "diffViewer:foldAll",
    enter: "diffViewer:fold",
    q: "diff:dismiss",
  },
  ModelPicker: { left: "modelPicker:decreaseEffort", right: "modelPicker:increaseEffort" },
  SessionPicker: {
    space: "sessions:preview",
    "ctrl+r": "sessions:rename",
    "ctrl+a": "sessions:allProjects",
    "ctrl+b": "sessions:branch",
  },
  Plugin: { space: "plugin:toggle", r: "plugin:reload" },
  Task: { x: "task:stop" },
  Rules: { a: "rules:add", d: "rules:remove", delete: "rules:remove" },
  Servers: { r: "servers:reconnect", space: "servers:toggle", s: "servers:signIn" },
};

/** The bindings in force, and those of panels where they say nothing. */
export function panelKeys(bound: KeyLookup): KeyLookup {
  return {
    action(key, contexts) {
      const spelled = spellKey(withoutShiftOfSign(key));
      let chord: string | undefined;
      for (const context of contexts) {
        const own = bound.action(key, [context]);
        // Part of a chord: another context may have the rest, but the key is no key of a panel.
        if (own === CHORD) chord = own;
        const found = own === CHORD ? undefined : (own ?? PANEL_BINDINGS[context]?.[spelled]);
        if (found !== undefined) return found;
      }
      return chord;
    },
    keyFor(action) {
      const found = bound.keyFor(action);
      if (found !== undefined) return found;
      const bindings = Object.values(PANEL_BINDINGS).flatMap((each) => Object.entries(each));
      const own = bindings.find(([, each]) => each === action)?.[0];
      return own === undefined ? undefined : showKeystroke(own);
    },
  };
}

/** Shift only chose the sign. */
function withoutShiftOfSign(key: Key): Key {
  const isSign = [...key.name].length === 1 && key.name.toLowerCase() === key.name.toUpperCase();
  return isSign ? { ...key, shift: false } : key;
}

/** What a key types where text is expected: a character, not a chord. */
export function typedText(event: InputEvent): string | undefined {
  if (event.kind !== "key" || event.ctrl || event.alt || event.super) return undefined;
  return event.text;
}

// How keys are written: in keybindings.json, in the tables, and in hints on the screen.

import type { Key } from "../input/event.ts";

const MODIFIERS: Readonly<Record<string, "ctrl" | "alt" | "shift" | "super">> = {
  ctrl: "ctrl",
  control: "ctrl",
  alt: "alt",
  opt: "alt",
  option: "alt",
  meta: "alt",
  shift: "shift",
  cmd: "super",
  command: "super",
  super: "super",
  win: "super",
};

const SPECIAL: Readonly<Record<string, string>> = {
  esc: "escape",
  return: "enter",
  bksp: "backspace",
  del: "delete",
  ins: "insert",
  pgup: "pageup",
  pgdn: "pagedown",
  plus: "+",
};

const NAMES = new Set(
  "enter tab escape backspace delete insert space up down left right home end pageup pagedown capslock".split(" "),
);

const SHOWN: Readonly<Record<string, string>> = {
  ctrl: "Ctrl",
  alt: "Alt",
  shift: "Shift",
  super: "Cmd",
  escape: "Esc",
  enter: "Enter",
  tab: "Tab",
  space: "Space",
  backspace: "Backspace",
  delete: "Delete",
  insert: "Insert",
  up: "↑",
  down: "↓",
  left: "←",
  right: "→",
  home: "Home",
  end: "End",
  pageup: "PgUp",
  pagedown: "PgDn",
};

/** A chord in its one spelling (`ctrl+x ctrl+e`), or undefined if it names no key. */
export function parseKeystroke(written: string): string | undefined {
  // A space alone is the key.
  const steps = (written === " " ? ["space"] : written.trim().split(/\s+/)).map(parseStep);
  return steps.every((step) => step !== undefined) ? steps.join(" ") : undefined;
}

/** The same spelling for a key that was pressed. */
export function spellKey(key: Key): string {
  return spell(key.name, key);
}

/** For hints: `Ctrl+X Ctrl+E`. */
export function showKeystroke(keystroke: string): string {
  return keystroke
    .split(" ")
    .map((step) =>
      splitStep(step)
        .map((part) => SHOWN[part] ?? part.toUpperCase())
        .join("+"),
    )
    .join(" ");
}

function parseStep(step: string): string | undefined {
  const parts = splitStep(step);
  const last = parts.pop() ?? "";
  const held = { ctrl: false, alt: false, shift: false, super: false };
  for (const part of parts) {
    const modifier = MODIFIERS[part.toLowerCase()];
    if (!modifier) return undefined;
    held[modifier] = true;
  }
  const lower = last.toLowerCase();
  const name = SPECIAL[lower] ?? lower;
  if ([...name].length !== 1 && !NAMES.has(name) && !/^f(?:[1-9]|1[0-2])$/.test(name)) return undefined;
  // A capital letter by itself means shift; with modifiers it is only a way of writing.
  if (parts.length === 0 && last !== lower && [...name].length === 1) held.shift = true;
  return spell(name, held);
}

/** At each `+`, except the last if it is the key. */
function splitStep(step: string): string[] {
  if (step === "+") return ["+"];
  return step.endsWith("++") ? [...step.slice(0, -2).split("+"), "+"] : step.split("+");
}

function spell(name: string, held: Pick<Key, "ctrl" | "alt" | "shift" | "super">): string {
  const modifiers = (["ctrl", "alt", "shift", "super"] as const).filter((modifier) => held[modifier]);
  return [...modifiers, name].join("+");
}

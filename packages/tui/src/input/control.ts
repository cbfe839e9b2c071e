// Keys that arrive as one byte, and the makers of key events.

import type { Key } from "./event.ts";

export interface Modifiers {
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
  readonly super?: boolean;
}

export const NO_MODIFIERS: Modifiers = { ctrl: false, alt: false, shift: false };

const ALT: Modifiers = { ctrl: false, alt: true, shift: false };

const NAMED: Readonly<Record<number, string>> = { 0x08: "backspace", 0x09: "tab", 0x0d: "enter", 0x7f: "backspace" };

/** A key with a name: it types nothing. */
export function namedKey(name: string, modifiers: Modifiers = NO_MODIFIERS): Key {
  return { kind: "key", name, ...modifiers };
}

/** A key that types what it shows. Upper case is told as shift, so that `K` is the same key in every protocol. */
export function textKey(text: string): Key {
  const name = text === " " ? "space" : text.toLowerCase();
  return { kind: "key", name, text, ctrl: false, alt: false, shift: text !== " " && text !== name };
}

/** The key of a byte below 0x20, or of DEL. */
export function controlKey(byte: number, alt = false): Key {
  const name = NAMED[byte];
  if (name !== undefined) return namedKey(name, alt ? ALT : NO_MODIFIERS);
  return namedKey(byte === 0 ? "space" : String.fromCharCode(byte + 0x40).toLowerCase(), {
    ctrl: true,
    alt,
    shift: false,
  });
}

/** A character typed with Alt held. */
export function altKey(text: string): Key {
  const { name, shift } = textKey(text);
  return namedKey(name, { ctrl: false, alt: true, shift });
}

/** The modifiers of a parameter: 1 plus the bits. The Meta key is Alt to us, as in terminals that have only one. */
export function readModifiers(parameter: number): Modifiers {
  const bits = parameter > 0 ? parameter - 1 : 0;
  const modifiers = { ctrl: (bits & 4) !== 0, alt: (bits & 34) !== 0, shift: (bits & 1) !== 0 };
  return bits & 8 ? { ...modifiers, super: true } : modifiers;
}

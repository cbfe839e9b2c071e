// Keys told by their code: the kitty protocol (`CSI code ; modifiers ; text u`) and modifyOtherKeys of xterm.

import type { Key } from "./event.ts";
import { type Modifiers, namedKey, textKey } from "./control.ts";

const NAMES: Readonly<Record<number, string>> = {
  8: "backspace",
  9: "tab",
  13: "enter",
  27: "escape",
  32: "space",
  127: "backspace",
  57_414: "enter",
  57_417: "left",
  57_418: "right",
  57_419: "up",
  57_420: "down",
  57_421: "pageup",
  57_422: "pagedown",
  57_423: "home",
  57_424: "end",
  57_425: "insert",
  57_426: "delete",
};

/** From code 57399. */
const KEYPAD_CHARACTERS = "0123456789./*-+";

/** The parts of a code are the key, the key with shift, and the key at this place of a US keyboard. */
export function codeKey(
  [code = 0, shifted = 0, base = 0]: readonly number[],
  modifiers: Modifiers,
  typed: readonly number[] | undefined,
): Key | undefined {
  const name = NAMES[code];
  const chord = modifiers.ctrl || modifiers.alt || modifiers.super === true;
  if (name !== undefined) return name === "space" && !chord ? textKey(" ") : namedKey(name, modifiers);
  const text = !chord && typed?.length && typed.every(isPrintable) ? String.fromCodePoint(...typed) : undefined;
  // An input method sends text without a key: code 0.
  if (text !== undefined) return textKey(text);
  const character = characterOf(code);
  if (character === undefined) return undefined;
  if (chord) {
    // On a keyboard of another script the shortcut is where it is on a Latin one.
    const shortcut = code > 0x7f && base > 0x20 && base < 0x7f ? String.fromCodePoint(base) : character;
    return namedKey(shortcut.toLowerCase(), {
      ...modifiers,
      shift: modifiers.shift || shortcut !== shortcut.toLowerCase(),
    });
  }
  if (!modifiers.shift) return textKey(character);
  return textKey(isPrintable(shifted) ? String.fromCodePoint(shifted) : character.toUpperCase());
}

function characterOf(code: number): string | undefined {
  if (code >= 57_399 && code < 57_399 + KEYPAD_CHARACTERS.length) return KEYPAD_CHARACTERS[code - 57_399];
  // The rest of the private area are keys that type nothing: modifiers, media keys.
  if (code >= 57_344 && code <= 63_743) return undefined;
  return isPrintable(code) ? String.fromCodePoint(code) : undefined;
}

function isPrintable(code: number): boolean {
  return (
    Number.isInteger(code) &&
    code >= 0x20 &&
    code <= 0x10_ff_ff &&
    !(code >= 0x7f && code < 0xa0) &&
    (code & ~0x7ff) !== 0xd800
  );
}

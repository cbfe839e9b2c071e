// What a whole control sequence (`ESC [ …`) or SS3 sequence (`ESC O x`) means. Unknown ones mean nothing.

import type { InputEvent, Key } from "./event.ts";
import { type Modifiers, NO_MODIFIERS, namedKey, readModifiers } from "./control.ts";
import { codeKey } from "./kitty.ts";

const BY_LETTER: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  F: "end",
  H: "home",
  P: "f1",
  Q: "f2",
  R: "f3",
  S: "f4",
};

const BY_NUMBER: Readonly<Record<number, string>> = {
  1: "home",
  2: "insert",
  3: "delete",
  4: "end",
  5: "pageup",
  6: "pagedown",
  7: "home",
  8: "end",
  11: "f1",
  12: "f2",
  13: "f3",
  14: "f4",
  15: "f5",
  17: "f6",
  18: "f7",
  19: "f8",
  20: "f9",
  21: "f10",
  23: "f11",
  24: "f12",
};

/** rxvt names the modifiers in the last letter. */
const RXVT: Readonly<Record<string, Modifiers>> = {
  "^": { ctrl: true, alt: false, shift: false },
  "@": { ctrl: true, alt: false, shift: true },
};

const KEYPAD: Readonly<Record<string, string>> = { M: "enter", X: "=", j: "*", k: "+", l: ",", m: "-", n: ".", o: "/" };

/** The body is what stands between `ESC [` and the final character. */
export function readControlSequence(body: string, final: string): InputEvent | undefined {
  if (body.startsWith("?") || body.startsWith(">")) return readReply(body, final);
  // Each parameter may have parts, as in `97:65`.
  const parameters = body.split(";").map((parameter) => parameter.split(":").map(Number));
  const [first = [], second = []] = parameters;
  const number = first[0] || 1;
  if (parameters.flat().some(Number.isNaN)) return undefined;
  if (final === "I" && body === "") return { kind: "focus", focused: true };
  if (final === "O" && body === "") return { kind: "focus", focused: false };
  const [modifierParameter = 1, eventType = 1] = second;
  if (final === "R" && parameters.length === 2 && !(number === 1 && modifierParameter > 1 && modifierParameter <= 8)) {
    return { kind: "reply", of: "cursor", text: body };
  }
  const modifiers = readModifiers(modifierParameter);
  // 3 is the release of a key.
  if (eventType === 3) return undefined;
  if (final === "u") return withPress(codeKey(first, modifiers, parameters[2]), eventType);
  if (final === "Z") return namedKey("tab", { ...modifiers, shift: true });
  if (final === "~" && number === 27 && parameters.length === 3)
    return codeKey(parameters[2] ?? [], modifiers, undefined);
  if (final === "~") return keyOf(BY_NUMBER[number], modifiers);
  if (RXVT[final] !== undefined) return keyOf(BY_NUMBER[number], RXVT[final]);
  if (/[a-d]/.test(final) && body === "") {
    return keyOf(BY_LETTER[final.toUpperCase()], { ctrl: false, alt: false, shift: true });
  }
  return keyOf(BY_LETTER[final], modifiers);
}

/** Enter has a code, instead of the byte that it always was, only where the terminal was asked to report every press. */
function withPress(key: Key | undefined, eventType: number): Key | undefined {
  if (key?.name !== "enter" || key.ctrl || key.alt || key.shift || key.super) return key;
  return { ...key, press: eventType === 2 ? "repeated" : "reported" };
}

export function readSs3(final: string): Key | undefined {
  if (/[a-d]/.test(final)) return keyOf(BY_LETTER[final.toUpperCase()], { ctrl: true, alt: false, shift: false });
  if (/[p-y]/.test(final)) return codeKey([final.charCodeAt(0) - 0x40], NO_MODIFIERS, undefined);
  const keypad = KEYPAD[final];
  if (keypad === "enter") return namedKey("enter");
  if (keypad !== undefined) return codeKey([keypad.charCodeAt(0)], NO_MODIFIERS, undefined);
  return keyOf(BY_LETTER[final], NO_MODIFIERS);
}

/** `ESC [ [ A` to `E`: the function keys of the Linux console. */
export function readConsoleKey(letter: string): Key | undefined {
  const number = letter.charCodeAt(0) - 0x40;
  return number >= 1 && number <= 5 ? namedKey(`f${number}`) : undefined;
}

function readReply(body: string, final: string): InputEvent | undefined {
  const text = body.slice(1);
  if (final === "u") return { kind: "reply", of: "kitty", text };
  if (final === "c") return { kind: "reply", of: "attributes", text };
  if (final === "R") return { kind: "reply", of: "cursor", text };
  if (final === "n" && text.startsWith("997;")) return { kind: "reply", of: "color-scheme", text: text.slice(4) };
  return undefined;
}

function keyOf(name: string | undefined, modifiers: Modifiers): Key | undefined {
  return name === undefined ? undefined : namedKey(name, modifiers);
}

/** A string sequence: `]` is OSC, `P` is DCS. */
export function readStringSequence(introducer: string, text: string): InputEvent | undefined {
  if (introducer === "]" && text.startsWith("11;")) return { kind: "reply", of: "background", text: text.slice(3) };
  if (introducer === "P" && text.startsWith(">|")) return { kind: "reply", of: "version", text: text.slice(2) };
  return undefined;
}

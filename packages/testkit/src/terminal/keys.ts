// The bytes a terminal sends for a key, in the encoding nearly every terminal has.

const NAMED: Readonly<Record<string, string>> = {
  enter: "\r",
  esc: "\x1b",
  escape: "\x1b",
  tab: "\t",
  space: " ",
  backspace: "\x7f",
};

/** Keys that are a letter after CSI or SS3. */
const LETTERS: Readonly<Record<string, string>> = {
  up: "A",
  down: "B",
  right: "C",
  left: "D",
  end: "F",
  home: "H",
  f1: "P",
  f2: "Q",
  f3: "R",
  f4: "S",
};

/** Keys that are a number before a tilde. */
const NUMBERS: Readonly<Record<string, number>> = {
  insert: 2,
  delete: 3,
  pageup: 5,
  pagedown: 6,
  f5: 15,
  f6: 17,
  f7: 18,
  f8: 19,
  f9: 20,
  f10: 21,
  f11: 23,
  f12: 24,
};

/** `ctrl+c`, `esc`, `shift+tab`, `alt+enter`, `shift+enter`, `ctrl+left`, `f5`, `a` … */
export function keyBytes(key: string): string {
  const parts = key === "+" ? ["+"] : key.split("+");
  const name = parts.at(-1) || "+";
  const held = new Set(parts.slice(0, -1));
  const modifier = 1 + (held.has("shift") ? 1 : 0) + (held.has("alt") ? 2 : 0) + (held.has("ctrl") ? 4 : 0);
  const letter = LETTERS[name];
  if (letter !== undefined) {
    if (modifier > 1) return `\x1b[1;${modifier}${letter}`;
    return /^f\d/.test(name) ? `\x1bO${letter}` : `\x1b[${letter}`;
  }
  const number = NUMBERS[name];
  if (number !== undefined) return modifier > 1 ? `\x1b[${number};${modifier}~` : `\x1b[${number}~`;
  if (name === "tab" && held.has("shift")) return "\x1b[Z";
  // The plain encoding cannot tell these from Enter.
  if (name === "enter" && (held.has("shift") || held.has("ctrl"))) return `\x1b[13;${modifier}u`;
  const plain = NAMED[name] ?? (held.has("shift") ? name.toUpperCase() : name);
  if ([...plain].length !== 1) throw new Error(`Unknown key "${key}"`);
  return (held.has("alt") ? "\x1b" : "") + (held.has("ctrl") ? control(plain, key) : plain);
}

function control(character: string, key: string): string {
  if (character === "\x7f") return "\x08";
  if (character === " ") return "\0";
  const code = character.toUpperCase().charCodeAt(0);
  if (code < 0x40 || code > 0x5f) throw new Error(`No byte for "${key}"`);
  return String.fromCharCode(code & 0x1f);
}

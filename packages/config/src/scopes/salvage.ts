// What can still be made out of a settings file that does not parse, or says a key twice: its deny and ask rules.
// Reads generously, because every rule it finds can only make things stricter. Pure.

export interface Salvaged {
  readonly deny: readonly string[];
  readonly ask: readonly string[];
}

const MAX_RULES = 10_000;

/** Every string in a list (or alone) after a `deny` or `ask` key, wherever it stands. */
export function salvageRules(text: string): Salvaged {
  const found = { deny: [] as string[], ask: [] as string[] };
  const parts = tokens(text);
  for (let at = 0; at < parts.length; at++) {
    const key = parts[at]!.text;
    if ((key !== "deny" && key !== "ask") || parts[at + 1]?.mark !== ":") continue;
    const isList = parts[at + 2]?.mark === "[";
    for (let next = at + (isList ? 3 : 2); next < parts.length; next++) {
      const { text: rule, mark } = parts[next]!;
      // The next key, or the end of the list, where it is not missing.
      if (rule === undefined ? mark !== "," : parts[next + 1]?.mark === ":") break;
      if (rule !== undefined && found[key].length < MAX_RULES) found[key].push(rule);
      if (!isList) break;
    }
  }
  return found;
}

/** Whether a key that holds rules is there more than once; parsers keep the last and forget the others. */
export function saysTwice(text: string): boolean {
  return ['"permissions"', '"deny"', '"ask"'].some(
    // Nearly always once: the pattern, slow to make, is only for texts that also have the word elsewhere.
    (name) => text.indexOf(name) !== text.lastIndexOf(name) && text.split(new RegExp(`${name}\\s*:`)).length > 2,
  );
}

interface Token {
  /** A string, decoded as far as it can be. */
  readonly text?: string;
  readonly mark?: string;
}

function tokens(source: string): readonly Token[] {
  // Strings end at the line's end too: a forgotten quote must not swallow the rules after it.
  const pattern = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"((?:[^"\\\n]|\\.)*)"?|([[\]{},:])/g;
  return Array.from(source.matchAll(pattern), ([, text, mark]) =>
    text !== undefined ? { text: decoded(text) } : mark !== undefined ? { mark } : {},
  ).filter(({ text, mark }) => text !== undefined || mark !== undefined);
}

function decoded(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}

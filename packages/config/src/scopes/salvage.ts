// Recovers the deny and ask rules of a settings file that does not parse or repeats a key. It matches generously, since
// every rule it finds can only make permissions stricter. Pure.

export interface Salvaged {
  readonly deny: readonly string[];
  readonly ask: readonly string[];
}

const MAX_RULES = 10_000;

/** Every string, alone or in a list, after a `deny` or `ask` key at any depth. */
export function salvageRules(text: string): Salvaged {
  const found = { deny: [] as string[], ask: [] as string[] };
  const parts = tokens(text);
  for (let at = 0; at < parts.length; at++) {
    const key = parts[at]!.text;
    if ((key !== "deny" && key !== "ask") || parts[at + 1]?.mark !== ":") continue;
    const isList = parts[at + 2]?.mark === "[";
    for (let next = at + (isList ? 3 : 2); next < parts.length; next++) {
      const { text: rule, mark } = parts[next]!;
      // Stop at the next key, or at the end of the list if it is there.
      if (rule === undefined ? mark !== "," : parts[next + 1]?.mark === ":") break;
      if (rule !== undefined && found[key].length < MAX_RULES) found[key].push(rule);
      if (!isList) break;
    }
  }
  return found;
}

/** Whether a key that holds rules appears more than once; a JSON parser would keep only the last. */
export function repeatsRuleKey(text: string): boolean {
  return ['"permissions"', '"deny"', '"ask"'].some(
    // The word is nearly always there once; the slower pattern is only for files that have it twice.
    (name) => text.indexOf(name) !== text.lastIndexOf(name) && text.split(new RegExp(`${name}\\s*:`)).length > 2,
  );
}

interface Token {
  /** A string, decoded if its escapes are valid. */
  readonly text?: string;
  readonly mark?: string;
}

function tokens(source: string): readonly Token[] {
  // Strings also end at the end of the line, so a missing quote does not hide the rules after it.
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

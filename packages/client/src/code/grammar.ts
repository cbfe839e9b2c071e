// How a language is described to the tokenizer.

export interface StringRule {
  readonly open: string;
  readonly close: string;
  /** A backslash protects what follows. */
  readonly escapes?: boolean;
  /** May continue in the next line. */
  readonly lines?: boolean;
  /** Starts code inside the string, up to the matching brace. */
  readonly code?: "${" | "#{";
}

export interface Grammar {
  readonly lineComments: readonly string[];
  readonly blockComments: readonly (readonly [open: string, close: string])[];
  readonly strings: readonly StringRule[];
  readonly keywords: ReadonlySet<string>;
  readonly types: ReadonlySet<string>;
  readonly ignoreCase?: boolean;
  /** Names that start with a capital are types. */
  readonly capitalTypes?: boolean;
  /** A name before a parenthesis is a function. */
  readonly calls?: boolean;
  /** `/…/` where an expression may start. */
  readonly regexps?: boolean;
  /** `'x'` is a character, `'x` is not. */
  readonly characters?: boolean;
  /** What stands between a key and its value. */
  readonly keys?: ":" | "=" | "(: or =)";
  /** `[section]` at the start of a line. */
  readonly sections?: boolean;
  /** Characters that start a variable or decorator. */
  readonly sigils?: string;
  /** Words may contain hyphens. */
  readonly hyphens?: boolean;
  /** Only the first word of a line can be a keyword. */
  readonly firstWord?: boolean;
  /** Comment signs count only at the start of a word, as in a shell. */
  readonly spaceBeforeComment?: boolean;
}

const DOUBLE: StringRule = { open: '"', close: '"', escapes: true };
const SINGLE: StringRule = { open: "'", close: "'", escapes: true };

export const QUOTES: readonly StringRule[] = [DOUBLE, SINGLE];
export const DOUBLE_QUOTES: readonly StringRule[] = [DOUBLE];

export function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}

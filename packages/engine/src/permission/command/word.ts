// One word of a command line after quotes are removed, and how sure we are of it.
// Turns the parser's parts into that; expands braces, because `{rm,-rf,x}` is a command.

import type { CommandExpansionPart, Word as ParsedWord, WordPart } from "unbash";

/**
 * literal: exactly this. home: begins with `~` or `$HOME`, kept as `~`. glob: a pattern for file names, quoted
 * wildcards escaped. braces: one of the words a `{a,b}` stands for. unknown: only the shell can tell.
 */
type WordKind = "literal" | "home" | "glob" | "braces" | "unknown";

export interface Word {
  readonly kind: WordKind;
  /** De-quoted; for an unknown word, as written. */
  readonly value: string;
  /** As written, without line continuations. */
  readonly text: string;
}

const MOST_ALTERNATIVES = 64;
/** An expansion the parser took for plain text, such as `$[1 + 1` without its end. */
const UNREAD = /(?<!\\)(?:\\\\)*(?:\$[[({]|`)/;
/** Expand to digits, whatever the world looks like. */
const NUMERIC = new Set(["$?", "$#", "$$"]);

export function literal(value: string): Word {
  return { kind: "literal", value, text: value };
}

/** A word may stand for several: braces multiply it. */
export function wordsOf(parsed: ParsedWord): Word[] {
  const text = parsed.text.replaceAll("\\\n", "");
  const parts = parsed.parts;
  if (parts === undefined) {
    if (UNREAD.test(text)) return [{ kind: "unknown", value: text, text }];
    return [{ ...plain(parsed.value, text.startsWith("~")), text }];
  }
  const braces = parts.findIndex((part) => part.type === "BraceExpansion");
  if (braces < 0) return [{ ...joined(parts, text), text }];

  const words = expand(text);
  if (words === undefined) return [{ kind: "unknown", value: text, text }];
  return words.map((value) => ({ kind: /[*?]/.test(value) ? "glob" : "braces", value, text }));
}

function plain(value: string, tilde: boolean): Pick<Word, "kind" | "value"> {
  if (!tilde) return { kind: "literal", value };
  return value === "~" || value.startsWith("~/") ? { kind: "home", value } : { kind: "unknown", value };
}

function joined(parts: readonly WordPart[], text: string): Pick<Word, "kind" | "value"> {
  const unknown = { kind: "unknown", value: text } as const;
  const globs = parts.some((part) => part.type === "Glob");
  let home = text.startsWith("~");
  let value = "";
  for (const [index, part] of parts.entries()) {
    if (part.type === "Glob" && part.kind !== "bracket") value += part.value;
    // An expansion in a bracket may bring blanks, and with them new words.
    else if (part.type === "Glob" && /[$`]/.test(part.text)) return unknown;
    // A bracket may hold quotes and substitutions; only the plain ones are patterns we can compare.
    else if (part.type === "Glob") value += /^\[[\w.!^-]+\]$/.test(part.text) ? part.text : "*";
    else if (part.type === "ExtendedGlob") return unknown;
    else {
      const piece = fixed(part);
      if (piece !== undefined) value += globs ? escapeGlob(piece) : piece;
      else if (index === 0 && isHome(part)) {
        home = true;
        value += "~";
      } else return unknown;
    }
  }
  if (home && value !== "~" && !value.startsWith("~/")) return unknown;
  if (globs) return { kind: "glob", value };
  return { kind: home ? "home" : "literal", value };
}

/** What a part expands to, when nothing can change it. */
function fixed(part: WordPart): string | undefined {
  switch (part.type) {
    case "Literal":
      return UNREAD.test(part.text) ? undefined : part.value;
    case "SingleQuoted":
    case "AnsiCQuoted":
      return part.value;
    case "DoubleQuoted": {
      const pieces = part.parts.map((each) => (each.type === "CommandExpansion" ? constantText(each) : fixed(each)));
      return pieces.includes(undefined) ? undefined : pieces.join("");
    }
    case "SimpleExpansion":
      return NUMERIC.has(part.text) ? part.text : undefined;
    default:
      // Locale strings are looked up in a message catalogue; the rest are expansions.
      return undefined;
  }
}

/**
 * What `$(cat <<'END' … END)` stands for: the text between the marks. It is how long commit messages are written.
 * Undefined for any other substitution.
 */
export function constantText({ script }: CommandExpansionPart): string | undefined {
  const [statement, ...more] = script?.commands ?? [];
  if (statement === undefined || more.length > 0 || statement.background || script?.errors?.length) return undefined;
  const { command } = statement;
  if (command.type !== "Command" || command.name?.text !== "cat" || command.prefix.length > 0) return undefined;
  const [text, ...rest] = command.suffix;
  if (text?.type !== "HereDoc" || rest.length > 0 || text.operator !== "<<" || text.descriptor) return undefined;
  if (!text.delimiter?.quoted || text.closing === undefined) return undefined;
  return text.body.text.replace(/\n+$/, "");
}

function isHome(part: WordPart): boolean {
  if (part.type === "DoubleQuoted") return part.parts.length === 1 && isHome(part.parts[0]!);
  return (
    (part.type === "SimpleExpansion" || part.type === "ParameterExpansion") && /^\$(HOME|\{HOME\})$/.test(part.text)
  );
}

/** Expands `a{b,c}d`, innermost braces first. Undefined when quotes, ranges or expansions are involved. */
function expand(text: string): string[] | undefined {
  if (!/^[\w./,{}@%+=:~*?-]+$/.test(text) || text.includes("..}") || /\{[^{},]*\.\.[^{},]*\}/.test(text))
    return undefined;
  let words = [text];
  for (;;) {
    const at = words.findIndex((word) => /\{[^{}]*,[^{}]*\}/.test(word));
    if (at < 0) return words;
    const match = /\{([^{}]*,[^{}]*)\}/.exec(words[at]!)!;
    const head = words[at]!.slice(0, match.index);
    const tail = words[at]!.slice(match.index + match[0].length);
    words = words.toSpliced(at, 1, ...match[1]!.split(",").map((choice) => head + choice + tail));
    if (words.length > MOST_ALTERNATIVES) return undefined;
  }
}

function escapeGlob(text: string): string {
  return text.replace(/[*?[\]\\]/g, "\\$&");
}

// Fills the placeholders in the text of a skill or command: `$ARGUMENTS`, `$0`, `$name`, `${CLAUDE_SKILL_DIR}`. One
// pass: what an argument says is never read as a placeholder.

export interface SkillArguments {
  /** As typed after the name. */
  readonly raw: string;
  /** Names for `$name`, in order. */
  readonly names: readonly string[];
  /** Values of `${NAME}`, such as CLAUDE_SESSION_ID. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface Filled {
  readonly text: string;
  /** Whether the arguments have a place in the text. */
  readonly used: boolean;
}

/** What a placeholder stands for: the value, as one or several words. */
export interface Placeholder {
  readonly start: number;
  readonly end: number;
  readonly words: readonly string[];
  /** `$ARGUMENTS` in text: with its blanks and quotes. */
  readonly plain: string;
}

/** Splits like a shell: blanks separate, quotes group, a backslash takes the next character. An open quote ends at the end. */
export function splitArguments(raw: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < raw.length; at++) {
    const sign = raw[at]!;
    if (quote !== "") {
      if (sign === quote) quote = "";
      else if (sign === "\\" && quote === '"' && /["\\]/.test(raw[at + 1] ?? "")) word += raw[++at]!;
      else word += sign;
    } else if (sign === '"' || (sign === "'" && word === undefined)) {
      quote = sign;
      word ??= "";
    } else if (sign === "\\" && at + 1 < raw.length) word = (word ?? "") + raw[++at]!;
    else if (/\s/.test(sign)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + sign;
  }
  return word === undefined ? words : [...words, word];
}

/** The most characters that placeholders may add to a text: a short file could ask for any number. */
export const MOST_FILLED = 4 * 1024 * 1024;

/** Throws if the text becomes far too long. */
export function fillPlaceholders(text: string, args: SkillArguments): Filled {
  const find = placeholderFinder(args);
  let used = false;
  let left = MOST_FILLED;
  const within = (value: string) => {
    left -= value.length;
    if (left < 0) throw new Error("The arguments are too long for the number of places where the text repeats them");
    return value;
  };
  const filled = text.replace(anyPlaceholder(args.names), (written, ...rest) => {
    if (written.startsWith("\\")) return written.slice(1);
    const variable = /^\$\{(\w+)\}$/.exec(written)?.[1];
    if (variable !== undefined) return within(args.variables[variable] ?? written);
    const found = find(written, rest.at(-2) as number);
    if (found === undefined) return written;
    used = true;
    return within(found.plain);
  });
  return { text: filled, used };
}

/** The placeholders of arguments in a shell command, in order. Variables in braces are not among them. */
export function placeholdersIn(command: string, args: SkillArguments): readonly Placeholder[] {
  const find = placeholderFinder(args);
  return [...command.matchAll(anyPlaceholder(args.names))].flatMap((match) => {
    const [written] = match;
    if (written.startsWith("\\") || written.startsWith("${")) return [];
    return find(written, match.index) ?? [];
  });
}

/** Also matches an escaped placeholder, and variables in braces. */
function anyPlaceholder(names: readonly string[]): RegExp {
  const known = names.filter((name) => /^[A-Za-z_]\w*$/.test(name)).toSorted((a, b) => b.length - a.length);
  const named = known.length === 0 ? "" : `|(?:${known.join("|")})(?!\\w)`;
  return new RegExp(String.raw`\\?\$(?:ARGUMENTS(?:\[\d+\])?(?!\w)|\d+(?!\w)${named})|\$\{CLAUDE_\w+\}`, "g");
}

/** Undefined for an index past the end: it stays as written, because it is often a price or a piece of shell code. */
function placeholderFinder({
  raw,
  names,
}: SkillArguments): (written: string, start: number) => Placeholder | undefined {
  const words = splitArguments(raw);
  return (written, start) => {
    const place = { start, end: start + written.length };
    if (written === "$ARGUMENTS") return { ...place, words, plain: raw };
    const digits = /^\$(?:ARGUMENTS\[(\d+)\]|(\d+))$/.exec(written);
    const index = digits ? Number(digits[1] ?? digits[2]) : names.indexOf(written.slice(1));
    const value = words[index] ?? (digits ? undefined : "");
    return value === undefined ? undefined : { ...place, words: [value], plain: value };
  };
}

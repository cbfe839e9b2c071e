// Checks for the options in the table of read-only programs.

/** Whether a program is still read-only with these words. */
export type OptionCheck = (words: readonly string[]) => boolean;

export const anything: OptionCheck = () => true;

/** Only these short options (as letters) and long options (with or without `=value`); any operands. */
export function options(letters: string, ...long: readonly string[]): OptionCheck {
  const short = new RegExp(`^-[${letters}]+$`);
  return (words) => {
    const end = endOfOptions(words);
    return (end < 0 ? words : words.slice(0, end)).every(
      (word) => !/^[-+]./.test(word) || word === "--" || short.test(word) || long.includes(word.split("=")[0]!),
    );
  };
}

/** Where `--` ends the options; -1 if it may be the value of the option before it, as in `rg -e -- --pre=x`. */
function endOfOptions(words: readonly string[]): number {
  const at = words.indexOf("--");
  const before = words[at - 1] ?? "";
  return before.startsWith("-") && !/^--[^=]+=/.test(before) ? -1 : at;
}

/** For a program that passes its words on without the `--`: what follows it may be an option too. */
export const unended =
  (check: OptionCheck): OptionCheck =>
  (words) =>
    check(words.filter((word) => word !== "--"));

/** Leaves out the words that options take as their values, whatever those look like. */
export function withoutValues(words: readonly string[], taken: (option: string) => number): readonly string[] {
  const rest: string[] = [];
  for (let at = 0; at < words.length; at++) {
    rest.push(words[at]!);
    at += taken(words[at]!);
  }
  return rest;
}

/** None of these options, in full, abbreviated, or bundled with other letters. */
export function without(letters: string, ...long: readonly string[]): OptionCheck {
  return (words) =>
    words.every((word) => {
      if (word.startsWith("--")) {
        const name = word.split("=")[0]!;
        return !long.some((each) => name.length > 2 && each.startsWith(name));
      }
      return !word.startsWith("-") || letters === "" || !new RegExp(`[${letters}]`).test(word.slice(1));
    });
}

/** Exactly one of these. */
export const only =
  (...lines: readonly string[]): OptionCheck =>
  (words) =>
    lines.includes(words.join(" "));

export const operands =
  (most: number, check: OptionCheck): OptionCheck =>
  (words) =>
    check(words) && words.filter((_, at) => isOperand(words, at)).length <= most;

/** A lone `-` is standard input, and after `--` every word is an operand. */
function isOperand(words: readonly string[], at: number): boolean {
  const word = words[at]!;
  const end = words.indexOf("--");
  return !word.startsWith("-") || word === "-" || (end >= 0 && at > end);
}

/** Splits a list written for readability in a table. */
export const list = (names: string): string[] => names.trim().split(/\s+/);

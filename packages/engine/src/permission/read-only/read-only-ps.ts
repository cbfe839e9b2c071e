// Which words keep `ps` from showing the environment of processes. `e` without a dash shows it, `-e` does not. But if
// ps does not understand a word, it reads all words as if they had no dash, so `-xe` and `-axe` show it too. So `e` is
// only allowed among letters that cannot be misread.

const WITH_E = /^-[AacdefFHjlLMPTwyZ]*[oO]?$/;
const LONG =
  /^--(cols|columns|cumulative|deselect|forest|format|group|headers|lines|no-headers|pid|ppid|rows|sid|sort|tty|user|width)(=|$)/;
const LONG_VALUE = /^--(cols|columns|format|group|lines|pid|ppid|rows|sid|sort|tty|user|width)$/;
const COLUMNS = /^[\w%,.:=+ -]+$/;
const NUMBERS = /^\d+(,\d+)*$/;

export function ps(words: readonly string[]): boolean {
  const withE = words.some(
    (word, at) => word.startsWith("-") && !word.startsWith("--") && /e/.test(word) && !isValue(words, at),
  );
  return words.every((word, at) => {
    if (isValue(words, at))
      return COLUMNS.test(word) && !/env/i.test(word) && (!withE || isHarmless(words[at - 1]!, word));
    if (word.startsWith("--")) return LONG.test(word) && !/env/i.test(word);
    if (NUMBERS.test(word)) return true;
    if (withE) return WITH_E.test(word) || /^-[fl]*p$/.test(word);
    return /^-?[a-zA-Z]+$/.test(word) && !/[eE]/.test(word);
  });
}

/** The word after an option that takes one: `-o pid,cmd`, `axo pid`, `--sort -rss`. */
function isValue(words: readonly string[], at: number): boolean {
  const before = words[at - 1] ?? "";
  if (at === 0 || isValue(words, at - 1)) return false;
  return LONG_VALUE.test(before) || /^-[a-zA-Z]*[oOpuUgGCtsqk]$/.test(before) || /^[a-zA-Z]*[oOpUtk]$/.test(before);
}

/** Every ps understands these, so none falls back to words without dashes. */
function isHarmless(option: string, value: string): boolean {
  return /[oO]$|^--(sort|format|cols|columns|width)$/.test(option) || NUMBERS.test(value);
}

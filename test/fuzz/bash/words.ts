// Words of bash commands: plain ones in every spelling, and now and then an expansion.

import { list, type Dice } from "./dice.ts";
import { EXPANSIONS } from "./expansions.ts";

/** What hides in the sentences. None of it is ever covered by a rule, and each leaves a trace when it runs. */
const PAYLOADS = [
  "evil",
  "evil",
  "evil a",
  "touch x",
  ">x",
  "pwn;",
  "./ls",
  "cat ../outside/secret",
  "rm a.txt",
  "evil & ",
  "echo hi",
  "ls",
];

export const payload = (dice: Dice): string => dice.pick(PAYLOADS);

const NAMES = list(
  "a.txt b.txt c.json in sub sub/x.txt nested bare ln-file ln-dir ln-dir/secret ln-home . .. ./a.txt sub/../a.txt ../outside/secret ../outside .claude/settings.json .git/config .env ./.env sub/../.env ln-env out/a.txt out/ln-dir/secret x.tar script.sh ~ ~/secret ~/.bashrc /dev/null - -- HEAD main",
);
const TEXTS = list(
  "a b x y hello 1 2 10 -1 a=b a:b a,b a@b % %s %n %d + ^ = == != : , / 1p p d $ 2,3p s/a/b/ s/a/b/g .a .a[0] [a-z] a.b x-y é 漢 \\; \\| \\& \\$ \\( # a#b !",
);
const OPTIONS = list(
  "-a -l -n -r -v -1 -c -e -E -i -s -x -o -f -la -nr -rn -h --all --oneline --stat --color=never --reverse --name-only --output=x --pre=evil -exec -o. -n1 --format=%H -maxdepth",
);

export function word(dice: Dice, depth: number): string {
  if (dice.strange(0.3)) return strangeWord(dice, depth);
  const text = dice.chance(0.5) ? dice.pick(NAMES) : dice.pick(dice.chance(0.6) ? TEXTS : OPTIONS);
  return dice.chance(0.3) ? quoted(dice, text) : text;
}

/** The same text, spelled in another way. `!` and newlines are safe: nothing here is interactive. */
export function quoted(dice: Dice, text: string): string {
  const at = dice.roll(text.length + 1);
  const [head, tail] = [text.slice(0, at), text.slice(at)];
  return dice.pick([
    `'${text}'`,
    `"${text}"`,
    `$'${text}'`,
    `${head}''${tail}`,
    `${head}""${tail}`,
    `${head}\\${tail}`,
    `${head}\\\n${tail}`,
    `'${head}'"${tail}"`,
    `"${head}"${tail}`,
    `"${head}\\\n${tail}"`,
    `$'\\x${text.charCodeAt(0).toString(16).slice(-2).padStart(2, "0")}'${text.slice(1)}`,
    `$"${text}"`,
    `'${head} ${tail}'`,
    `"${head};${tail}"`,
    `'${head}$(evil)${tail}'`,
    `"${head}\\$(evil)${tail}"`,
    `"${head}\`${tail}"`,
  ]);
}

const VARIABLES = list("x y PATH IFS PS4 HOME fd a BASH_ENV path x[1] x[$(evil)] _ 1 @");

export const variable = (dice: Dice): string => dice.pick(VARIABLES);

export function strangeWord(dice: Dice, depth: number): string {
  return filled(dice, dice.pick(EXPANSIONS), depth);
}

/** Puts code, words and names into a template. */
export function filled(dice: Dice, template: string, depth: number): string {
  return template.replace(/\b[CWV]\b|(?<=[^A-Za-z])[CWV](?=[^A-Za-z])|^[CWV]$/g, (slot) => {
    if (slot === "V") return variable(dice);
    if (slot === "C") return payload(dice);
    return depth > 3 ? "a" : word(dice, depth + 1);
  });
}

// Simple commands: what people run every day, and each program's ways to run another or to write a file.

import { ASSIGNMENTS, BUILTINS, WRAPPERS } from "./builtins.ts";
import { list, type Dice } from "./dice.ts";
import { HOSTILE } from "./hostile.ts";
import { redirection } from "./redirections.ts";
import { USUAL } from "./usual.ts";
import { filled, quoted } from "./words.ts";

const FILES = list("a.txt a.txt a.txt b.txt sub/x.txt in ./a.txt c.json *.txt sub/* 'a.txt' ln-file * ./* [a-z]*");

export function simpleCommand(dice: Dice, depth: number): string {
  if (dice.strange(0.12)) return filled(dice, dice.pick(BUILTINS), depth);
  const template = dice.strange(0.12) ? dice.pick(HOSTILE) : dice.pick(USUAL);
  let text = filled(
    dice,
    template.replaceAll(/\bF\b/g, () => dice.pick(FILES)),
    depth,
  );
  if (dice.chance(0.06)) text = disguised(dice, text);
  if (dice.chance(0.12)) text += redirection(dice, depth);
  if (dice.strange(0.08)) text = redirection(dice, depth).trimStart() + " " + text;
  if (dice.strange(0.08)) text = text.replace(" ", `${redirection(dice, depth)} `);
  if (dice.strange(0.1)) text = `${dice.pick(WRAPPERS)} ${text}`;
  if (dice.chance(0.04)) text = `${dice.pick(ASSIGNMENTS.slice(0, 5))} ${text}`;
  if (dice.strange(0.12)) text = `${assignment(dice, depth)}${dice.pick([" ", "; ", "\n", " && "])}${text}`;
  return text;
}

export function assignment(dice: Dice, depth: number): string {
  return filled(dice, dice.pick(ASSIGNMENTS), depth);
}

/** The first word, spelled differently. */
function disguised(dice: Dice, text: string): string {
  const name = /^[a-z]+/.exec(text)?.[0];
  return name === undefined ? text : quoted(dice, name) + text.slice(name.length);
}

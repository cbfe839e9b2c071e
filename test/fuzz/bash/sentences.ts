// Whole bash command lines: lists, pipelines, compound commands, functions, and damage done to what came out.
// Most of a sentence is something people run every day, so that the gate lets many of them through; what is strange in
// it is added in small doses, because a gate that asks about everything would never be tested.

import { STRANGE_COMPOUNDS, USUAL_COMPOUNDS } from "./compounds.ts";
import type { Dice } from "./dice.ts";
import { assignment, simpleCommand } from "./programs.ts";
import { redirection } from "./redirections.ts";
import { filled, payload, strangeWord, variable, word } from "./words.ts";

export function sentence(dice: Dice): string {
  const draw = dice.roll(100);
  dice.spice = draw < 30 ? 0 : draw < 74 ? 1 : draw < 90 ? 2 : 4;
  let text = listOf(dice, 0);
  // What was not used up is thrown in somewhere.
  if (dice.spice > 0 && dice.chance(0.6)) text = damaged(dice, text);
  if (dice.chance(0.04)) text = damaged(dice, text);
  if (dice.chance(0.1)) text = continued(dice, text);
  return text;
}

const JOINTS = [" && ", " && ", "; ", "; ", " || ", " | ", " | ", "\n", ";", "|", "&&", " \\\n&& ", " |\n", " # c\n"];
const STRANGE_JOINTS = [
  " & ",
  " |& ",
  "&",
  "|&",
  " ;; ",
  " ;& ",
  "&|",
  "&!",
  "\r\n",
  "\n\n",
  " \\\n",
  "\t;\t",
  ")",
  " }",
];

function listOf(dice: Dice, depth: number): string {
  let text = command(dice, depth);
  const more = depth > 1 ? dice.roll(2) : dice.pick([0, 0, 0, 1, 1, 2]);
  for (let count = 0; count < more; count++) {
    const joint = dice.strange(0.1) ? dice.pick(STRANGE_JOINTS) : dice.pick(JOINTS);
    text += joint + command(dice, depth);
  }
  return text;
}

function command(dice: Dice, depth: number): string {
  if (depth < 3) {
    if (dice.strange(0.16)) return compound(dice, dice.pick(STRANGE_COMPOUNDS), depth);
    if (dice.chance(0.12)) return compound(dice, dice.pick(USUAL_COMPOUNDS), depth);
  }
  return simpleCommand(dice, depth);
}

function compound(dice: Dice, template: string, depth: number): string {
  const structure = template.replaceAll(/(?<![A-Za-z$])[LSRA](?![A-Za-z])/g, (slot) => {
    if (slot === "L") return listOf(dice, depth + 1);
    if (slot === "S") return simpleCommand(dice, depth + 1);
    if (slot === "A") return assignment(dice, depth + 1);
    return redirection(dice, depth + 1).trimStart();
  });
  return filled(dice, structure, depth + 1);
}

/** Signs and pieces that change how the rest is read. */
const PIECES = [
  ..."'\"\\`$(){}[]<>|&;#!~*?=%^@+-,:/",
  "\\\n",
  "\\\n",
  "\\\n",
  "\n",
  " ",
  "\t",
  "\r",
  "\u00a0",
  "\u2028",
  "\f",
  "\v",
  "''",
  '""',
  "$'",
  '$"',
  "${",
  "$((",
  "$[",
  "((",
  "))",
  "[[",
  "]]",
  "&&",
  "||",
  "|&",
  ";;",
  ">&",
  "<&",
  "&>",
  "<>",
  ">|",
  "<<",
  "<<<",
  " # ",
  " ! ",
  "@(",
  "!(",
  "E\n",
  "\nE\n",
  "~+",
  "..",
  "{,}",
  "{fd}",
  "3",
];

function damaged(dice: Dice, text: string): string {
  let result = text;
  const blows = 1 + dice.roll(3);
  for (let count = 0; count < blows; count++) {
    const at = dice.roll(result.length + 1);
    const drop = dice.pick([0, 0, 0, 0, 1, 2]);
    result = result.slice(0, at) + splinter(dice) + result.slice(at + drop);
  }
  return result;
}

/** A line continuation beside a sign: bash removes it before it reads most signs, and keeps it in some quotes. */
function continued(dice: Dice, text: string): string {
  const signs = [...text.matchAll(/[$<>{}()[\]'"&|;=!#~@:*?`-]/g)].map(({ index }) => index);
  if (signs.length === 0) return text;
  const at = dice.pick(signs) + dice.roll(2);
  return `${text.slice(0, at)}\\\n${text.slice(at)}`;
}

function splinter(dice: Dice): string {
  switch (dice.roll(8)) {
    case 0:
      return strangeWord(dice, 3);
    case 1:
      return redirection({ ...dice, strange: () => true }, 3);
    case 2:
      return ` ${word(dice, 3)} `;
    case 3:
      return `${dice.pick([";", "\n", "|", "&", "$(", "`", "<("])}${payload(dice)}${dice.pick(["", ")", "`", "\n", ";"])}`;
    case 4:
      return dice.pick(["\\\n", `{${variable(dice)}}<`, `${variable(dice)}=`]);
    default:
      return dice.pick(PIECES);
  }
}

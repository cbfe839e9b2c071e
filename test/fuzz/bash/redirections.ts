// Every redirection: each operator, each way to name a descriptor, each kind of target.

import { list, type Dice } from "./dice.ts";
import { filled, payload, word } from "./words.ts";

const DESCRIPTORS = list("0 1 2 3 9 19 255 {fd} {x} {PATH} {x[1]} {x[$(evil)]} {1} {} 1a");
const OPERATORS = list("< < > >> <> >| >& <& &> &>> <<<");
const HARMLESS = [
  " 2>&1",
  " >/dev/null",
  " 2>/dev/null",
  " </dev/null",
  " < a.txt",
  " <<< hi",
  " 2>&-",
  " >&2",
  " <&-",
];
const TARGETS = [
  "/dev/null",
  "x",
  "a.txt",
  "1",
  "2",
  "-",
  "1-",
  "$V",
  '"$x"',
  "$(C)",
  "'x$(C)'",
  '"x$(C)"',
  "\\$(C)",
  "<(C)",
  ">(C)",
  " >(C)",
  " <(C)",
  "../outside/y",
  "ln-dir/y",
  "out/x",
  "out/x",
  "out/../x",
  "out/ln-dir/y",
  "out/ln-dir/../y",
  "out/$(C)",
  "out/*",
  "out/{a,../b}",
  "'out/x'",
  "out\\\n/x",
  ".env",
  "~/x",
  "*.txt",
  "ln-*",
  "{a,b}",
  "/dev/stdin",
  "/dev/stdout",
  "/dev/fd/1",
  "/dev/tcp/127.0.0.1/9",
  "${x:=y}",
  "${x[$(C)]}",
  "$((a[$(C)]))",
  "'1$(C)'",
  "1$(C)",
  "/dev/null$(C)",
  "/dev/null/../../x",
  "/dev/../dev/null",
  "'/dev/null'",
  "/dev/nul\\\nl",
  "!x",
  "! x",
  "|x",
];

export function redirection(dice: Dice, depth: number): string {
  if (!dice.strange(0.5)) return dice.pick(HARMLESS);
  if (dice.chance(0.2)) return hereDocument(dice, depth);
  const descriptor = dice.chance(0.5) ? "" : dice.pick(DESCRIPTORS);
  const gap = dice.pick(["", " ", "", "\t", "\\\n"]);
  return ` ${descriptor}${dice.pick(OPERATORS)}${gap}${filled(dice, dice.pick(TARGETS), depth)}`;
}

/** Whatever follows on the line comes after the mark, so the text goes to the end of the sentence by itself. */
function hereDocument(dice: Dice, depth: number): string {
  const mark = dice.pick(["E", "E", "'E'", '"E"', "\\E", "E\\\n", "$E", "'E F'", "$'E'", "`E`", "$(E)", "E'F'"]);
  const end = mark.replace(/["'\\\n]|^\$'/g, "");
  const body = dice.pick([
    "text",
    `$(${payload(dice)})`,
    `\`${payload(dice)}\``,
    `\\$(${payload(dice)})`,
    "$x",
    "${x:=y}",
    "$((a[$(evil)]))",
    `E \n${payload(dice)}`,
    `\\\nE\n${payload(dice)}`,
    word(dice, depth + 1),
    payload(dice),
  ]);
  const after = dice.pick(["", "", " | cat", "; ls", " && ls", ` ; ${payload(dice)}`, " <<F"]);
  const tail = after === " <<F" ? `\n$(${payload(dice)})\nF` : "";
  return ` ${dice.pick(["", "", "0", "3", "{fd}"])}<<${dice.pick(["", "", "-", " "])}${mark}${after}\n${body}\n${dice.pick(["", "", "\t", " "])}${end}${tail}\n`;
}

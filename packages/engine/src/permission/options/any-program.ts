// Programs without a table of their own: the names of options say what they do. A rule does not cover one that runs a
// program or evaluates code, nor one that loads a configuration, a plugin or a script from outside the working
// directories.

import type { ProgramCall, ProgramOptionTable, Uncovered } from "./program-options.ts";
import { fileOf } from "./read-options.ts";

export const anyProgram: ProgramOptionTable = { read: readAny };

/** Their value is a command or code, whatever the program. */
const RUNS = /^(eval|exec|exec-batch|pager|editor|init-script|script-shell|shell-escape)$/;

/** Parts of names such as `--config-file`, `--pluginSearchDirs` and `--settings`. */
const LOADS = new Set(
  "app autoload bootstrap chdir conf config configfile configuration cwd extension extensions gemfile import include init justfile knexfile library load loader makefile module modules plugin plugins preload project rc rcfile require rules rulesdir runner schema script settings taskfile template templates transform".split(
    " ",
  ),
);

function readAny(call: ProgramCall): Uncovered | undefined {
  const { words, start, agreed } = call;
  for (let at = start; at < words.length; at++) {
    const word = words[at]!;
    if (word.value === "--") return undefined;
    const [, name, attached] = /^--?([A-Za-z][\w.-]*)(?:=(.*))?$/s.exec(word.value) ?? [];
    if (name === undefined || at < agreed) continue;
    if (RUNS.test(name)) return { word, why: "option" };
    if (!mayLoad(name)) continue;
    const found = fileOf(attached === undefined ? words[at + 1] : { ...word, value: attached }, call);
    if (found.why) return { word: found.file, why: found.why };
  }
  return undefined;
}

/** `-c` names a configuration if it is followed by a path at all. */
function mayLoad(name: string): boolean {
  const parts = name
    .replace(/([a-z])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .split(/[-_.]/);
  return name === "c" || (name.length > 1 && parts.some((part) => LOADS.has(part)));
}

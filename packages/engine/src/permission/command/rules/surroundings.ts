// What an allow rule needs to know besides a command's text: where the files in its options are, and whether xargs adds
// words. Also the sentence for a command that a rule covers except for one word.

import type { SimpleCommand } from "../analysis/command.ts";
import { everyCommand, resolved } from "../files/command-files.ts";
import { endsIn, type CommandView } from "../command-view.ts";
import { beyondRule } from "./match-command.ts";
import { climbsBack } from "../../match/paths.ts";
import { isProtected } from "../../match/protected.ts";
import type { CommandSetting } from "../../options/options.ts";
import type { Uncovered } from "../../options/program-options.ts";
import { isInWorkingDirs } from "../../question.ts";
import { looksOnlyButRedirects } from "../../read-only/read-only.ts";
import type { Rule } from "../../rules/rule.ts";
import { shortCommand } from "../../sentences.ts";
import type { Word } from "../analysis/word.ts";
import { mayAddOption } from "../inner/xargs.ts";

export function surroundingsOf(part: SimpleCommand, view: CommandView, { fed }: { fed: boolean }): CommandSetting {
  // A pattern matches what is on disk now, unless another part of the command creates files first.
  const isSettled = view.analysis.commands.every((other) => other === part || looksOnlyButRedirects(other));
  return { fed, isSettled, isInside: (file) => isInside(file, view) };
}

function isInside(file: Word, { places, question, lost }: CommandView): boolean {
  if (lost || file.kind === "unknown" || climbsBack(file.value)) return false;
  return resolved(file, places, question.home).every((each) => {
    const ends = endsIn(each, question);
    return isInWorkingDirs(ends, question) && !isProtected(ends.given) && !isProtected(ends.real);
  });
}

/** Why a rule that covers the text of this part, or of what it starts, does not allow it. */
export function beyondRules(part: SimpleCommand, rules: readonly Rule[], view: CommandView): string | undefined {
  for (const command of part.transparent ? everyCommand([part]) : [part]) {
    const surroundings = surroundingsOf(part, view, {
      fed: command !== part && mayAddOption(part, view.analysis.commands),
    });
    for (const rule of rules) {
      const found = beyondRule(rule.content!, command, surroundings);
      if (found) return sentence(found, command, rule);
    }
  }
  return undefined;
}

function sentence({ word, why }: Uncovered, command: SimpleCommand, rule: Rule): string {
  const program = command.words[0]!.value;
  const text = shortCommand(word.text);
  switch (why) {
    case "option":
      return `${rule.text} does not cover '${text}', which can make ${program} run another program, load code or write elsewhere`;
    case "file":
      return `${rule.text} does not cover '${text}', which is protected or outside the working directories`;
    case "pattern":
      return `'${text}' may match a file name that ${program} reads as an option; write './${text}' instead`;
    case "fed":
      return `xargs may pass ${program} a name that it reads as an option; put '--' before the names`;
  }
}

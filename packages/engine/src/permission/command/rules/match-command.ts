// Whether a rule such as `Bash(git push:*)` matches a command. Deny and ask rules match what a command means; allow
// rules match exactly how it is written.

import { basename } from "node:path/posix";
import type { SimpleCommand } from "../analysis/command.ts";
import { isSafeAssignment } from "../../read-only/read-only.ts";
import { wildcard } from "../../match/wildcard.ts";
import { reachOfMeaning } from "./meaning.ts";
import { withMainNames } from "./other-names.ts";
import { beyondStar } from "../../options/leading-star.ts";
import { uncoveredWord, type CommandSetting } from "../../options/options.ts";
import type { Uncovered } from "../../options/program-options.ts";
import type { Word } from "../analysis/word.ts";

/** maybe: an expansion hides the part the rule is about. */
export type Reach = "yes" | "maybe" | "no";

/** For rules about the whole line, operators included: `Bash(* | sh)`. */
export function coversLine(content: string, line: string): boolean {
  return covers(content, line.trim());
}

/** For deny and ask rules: the broadest reading of one command. The caller checks what it starts in turn. */
export function reachOf(command: SimpleCommand): (content: string) => Reach {
  if (command.words.length === 0) return () => "no";
  const ways = readings(command.words).map(reading);
  return (content) => {
    let reach: Reach = command.opaque ? "maybe" : "no";
    for (const text of contentsOf(content)) {
      for (const way of ways) {
        const one = reachesBy(text, way);
        if (one === "yes") return one;
        if (one === "maybe") reach = one;
      }
    }
    return reach;
  };
}

/** The rule, also with the main name of its subcommand. */
function contentsOf(content: string): readonly string[] {
  const words = content.replace(/:\*$/, " *").split(" ");
  const main = withMainNames(words.map((value) => ({ value })));
  return [content, ...main.map((each) => each.map(({ value }) => value).join(" "))];
}

/** For allow rules: this part as written, with no option that does more than the rule says. */
export function allowsText(content: string, command: SimpleCommand, surroundings: CommandSetting): boolean {
  return coversText(content, command) && beyondRule(content, command, surroundings) === undefined;
}

/** What keeps a rule from allowing a command whose text it covers. */
export function beyondRule(
  content: string,
  command: SimpleCommand,
  surroundings: CommandSetting,
): Uncovered | undefined {
  if (!content.includes("*") || !coversText(content, command)) return undefined;
  const word = beyondStar(content, command);
  if (word) return { word, why: "option" };
  return uncoveredWord(command, content.slice(0, content.indexOf("*")).replace(/:$/, ""), surroundings);
}

function coversText(content: string, command: SimpleCommand): boolean {
  const program = command.words[0];
  if (
    program?.kind !== "literal" ||
    program.value === "eval" ||
    // One word with a space in it: `'npm test'` is not `npm`.
    /\s/.test(program.value) ||
    command.words.some((word) => word.kind === "unknown")
  ) {
    return false;
  }
  if (!command.assignments.every(isSafeAssignment) || !covers(content, command.text)) return false;
  // If a builtin runs code, a prefix says nothing about that code.
  return command.code !== true || !content.includes("*");
}

/** `prefix:*` and `prefix *` end at a word; `*` elsewhere is any text. */
function covers(content: string, text: string): boolean {
  const pattern = content.trim();
  if (pattern === "*") return true;
  const stem = pattern.endsWith(":*") || pattern.endsWith(" *") ? pattern.slice(0, -2).trimEnd() : undefined;
  if (stem === undefined) return wildcard(pattern, text);
  if (!stem.includes("*")) return text.startsWith(stem) && (text.length === stem.length || text[stem.length] === " ");
  return wildcard(stem, text) || wildcard(`${stem} *`, text);
}

interface Reading {
  readonly words: readonly Word[];
  readonly text: string;
  /** The text before the first word that only the shell knows; undefined if all words are known. */
  readonly known: string | undefined;
}

/** Becomes a number that the text does not show: `chmod 77$?`, `chmod $((776 + 1))`. */
const NUMBER = /\$(?:[?#$]|\(\()/;

function reading(words: readonly Word[]): Reading {
  const text = words.map((word) => word.value).join(" ");
  const hidden = words.findIndex((word) => word.kind === "unknown" || word.kind === "glob" || NUMBER.test(word.value));
  // A file name pattern cannot become a program of another name unless it comes first.
  if (hidden < 0 || (words[hidden]!.kind === "glob" && hidden > 0)) return { words, text, known: undefined };
  const before = words.slice(0, hidden).map((word) => `${word.value} `);
  return { words, text, known: before.join("") };
}

function reachesBy(content: string, { words, text, known }: Reading): Reach {
  if (covers(content, text)) return "yes";
  const meant = reachOfMeaning(content, words, covers);
  if (meant !== "no" || known === undefined) return meant;
  const asked = content.split("*")[0]!.replace(/:$/, "");
  return known.startsWith(asked) || asked.startsWith(known) ? "maybe" : "no";
}

/** The words as given, with the program's base name, and without options that only set where git works. */
function readings(words: readonly Word[]): (readonly Word[])[] {
  const [program, ...rest] = words;
  const name = program!.kind === "unknown" ? program!.value : basename(program!.value);
  const found = [words];
  if (name !== program!.value) found.push([{ ...program!, value: name }, ...rest]);
  if (name !== name.toLowerCase()) found.push([{ ...program!, value: name.toLowerCase() }, ...rest]);
  // Git's subcommands are programs too: /usr/lib/git-core/git-push.
  const subcommand = /^git-([a-z-]+)$/.exec(name)?.[1];
  if (subcommand) found.push([{ ...program!, value: "git" }, { ...program!, value: subcommand }, ...rest]);
  found.push(...withMainNames([{ ...program!, value: name }, ...rest]));
  if (name.toLowerCase() === "git") found.push([{ ...program!, value: "git" }, ...withoutGitPlace(rest)]);
  return found;
}

function withoutGitPlace(words: readonly Word[]): readonly Word[] {
  for (let at = 0; at < words.length; at++) {
    const { value } = words[at]!;
    if (!value.startsWith("-")) return words.slice(at);
    if (/^(-[Cc]|--(git-dir|work-tree|namespace|exec-path|config-env|super-prefix))$/.test(value)) at++;
  }
  return [];
}

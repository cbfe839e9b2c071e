// Commands that read files they do not name: whole folders, what a pattern matches, what a list on stdin names. This
// only tells where they could read, from the text; the rules decide what is denied.

import { basename } from "node:path/posix";
import type { SimpleCommand } from "../analysis/command.ts";
import { filesOf } from "./command-files.ts";
import { patternFolder } from "../../match/match-path.ts";
import { climbsBack } from "../../match/paths.ts";
import type { Word } from "../analysis/word.ts";

/**
 * "anywhere": an expansion names the file, or a path goes through a possible link and back. Otherwise absolute folders,
 * including everything in them.
 */
export type Range = "anywhere" | readonly string[];

/** Empty for a command that reads only what it names. */
export function rangeOf(command: SimpleCommand, places: readonly string[], home: string): Range {
  const [program, ...words] = command.words;
  if (program === undefined) return [];
  const name = basename(program.value);
  const opened = [...words, ...command.redirections.filter(({ kind }) => kind === "read").map(({ target }) => target)];
  if (name !== "cd" && opened.some((word) => climbsBack(word.value) && !/\s/.test(word.value))) return "anywhere";
  if (OPENS.has(name) && words.some((word) => word.kind === "unknown")) return "anywhere";
  if (LISTS.has(name)) return places;
  const wide = Object.hasOwn(WIDE, name) ? WIDE[name]! : undefined;
  if (wide === undefined || !wide.when(words, command)) return [];
  if (words.some((word) => word.kind === "unknown")) return "anywhere";

  const operands = words.filter((word) => !word.value.startsWith("-")).length;
  const named = filesOf(
    { ...command, words: [{ ...program, value: "cat" }, ...words], redirections: [] },
    places,
    home,
    "lenient",
  );
  const folders = named.map(({ path, pattern }) => (pattern ? patternFolder(path) : path));
  return [...new Set(operands <= wide.before ? [...folders, ...places] : folders)];
}

/** Programs that open every operand. */
const OPENS = new Set(
  ". base64 bat cat cp cut dd head hexdump less more nl od paste rev source strings tac tail xxd".split(" "),
);

/** Programs that read file names from stdin, or pass them on. */
const LISTS = new Set(["cpio", "parallel", "xargs"]);

interface Wide {
  when(words: readonly Word[], command: SimpleCommand): boolean;
  /** Operands before the folders; with no more than these, the current folder is meant. */
  readonly before: number;
}

const always = () => true;
const option = (pattern: RegExp) => (words: readonly Word[]) => words.some((word) => pattern.test(word.value));
const first = (pattern: RegExp) => (words: readonly Word[]) => pattern.test(words[0]?.value ?? "");

const grep: Wide = { when: option(/^(-[a-zA-Z0-9]*[rRd]|--(dereference-)?recursive|--directories)/), before: 1 };
const search: Wide = { when: always, before: 1 };
const finder: Wide = { when: (_, { runs, opaque }) => runs.length > 0 || opaque, before: 0 };
const copy: Wide = { when: option(/^(-[a-zA-Z]*[rRa]|--(rec|ar))/), before: 0 };

const WIDE: Readonly<Record<string, Wide>> = {
  "7z": { when: first(/^[au]$/), before: 2 },
  ack: search,
  ag: search,
  cp: copy,
  diff: { when: option(/^(-[a-zA-Z]*r|--recursive)/), before: 0 },
  egrep: grep,
  fd: { ...finder, before: 1 },
  fdfind: { ...finder, before: 1 },
  fgrep: grep,
  find: finder,
  git: { when: (words) => words.some((word) => /^(grep|archive|--no-index)$/.test(word.value)), before: 2 },
  grep,
  gzip: copy,
  pax: search,
  rg: { when: (words) => !words.some((word) => /^--(files|type-list|version|help)$/.test(word.value)), before: 1 },
  rgrep: search,
  rsync: { when: always, before: 0 },
  scp: copy,
  // Option letters without a dash count too: `tar czf x.tgz .`
  tar: {
    when: (words) => first(/^-?[a-zA-Z]*[cru]/)(words) || option(/^(-[a-zA-Z]*[cru]|--(create|append|update)$)/)(words),
    before: 0,
  },
  ug: search,
  zgrep: grep,
  zip: { when: option(/^(-[a-zA-Z]*[rR]|--recurse)/), before: 0 },
};

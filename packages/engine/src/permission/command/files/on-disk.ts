// What the gate must look up on disk before it can judge a command: where its paths lead, which files its patterns
// match, and what is in the folders it processes. This only names them; the caller looks them up.

import type { CommandAnalysis, SimpleCommand } from "../analysis/command.ts";
import { everyCommand, filesOf, isLost, placesIn, type Where } from "./command-files.ts";
import { listsLinks, printerFor } from "../inner/xargs.ts";
import { copyOf, deepFolders, searchedBy, type DeepFolder, type Transfer } from "./deep.ts";
import { patternFolder } from "../../match/match-path.ts";
import type { Ends } from "../../question.ts";

/** What was found. Anything missing was not looked up, or was too large: it may be anything. */
export interface OnDisk {
  /** The files each pattern currently matches. */
  readonly matches: ReadonlyMap<string, readonly Ends[]>;
  /** Everything in a folder, or in the folders a pattern matches. */
  readonly contents: ReadonlyMap<string, readonly Ends[]>;
}

export interface LookUps {
  /** Paths to resolve. */
  readonly paths: readonly string[];
  /** Absolute, escaped where they are literal. */
  readonly patterns: readonly string[];
  /** follow: links in it are followed. shallow: only direct children. */
  readonly folders: readonly DeepFolder[];
  /** Folders that are copied as a whole: existing files under the names of their `landings` are overwritten. */
  readonly copies: readonly Transfer[];
}

const MOST_PATTERNS = 64;
const NOTHING: LookUps = { paths: [], patterns: [], folders: [], copies: [] };

export function toLookUp(analysis: CommandAnalysis, where: Where, real: (path: string) => string): LookUps {
  // A command that could not be read needs approval whatever is on disk.
  if (analysis.problem !== undefined) return NOTHING;
  const commands = everyCommand(analysis.commands);
  const places = placesIn(commands, where, real);
  if (isLost(places, commands)) return { ...NOTHING, paths: places };
  const files = commands.flatMap((command) => filesOf(command, places, where.home, "strict"));
  const paths = files.map((file) => (file.pattern ? patternFolder(file.path) : file.path));
  const fed = analysis.commands.flatMap((part) => printerFor(part, analysis.commands) ?? []).filter(listsLinks);
  const folders = [
    ...commands.flatMap((command) => deepFolders(command, places, where.home)),
    ...fed.flatMap((command) => searchedBy(command, places, where.home)),
  ];
  // Only the shell then knows what a pattern matches.
  const patterns = changesPatterns(commands) ? [] : files.filter((file) => file.pattern).map((file) => file.path);
  const distinct = [...new Set(patterns)];
  return {
    paths: [...new Set([...places, ...paths])],
    patterns: distinct.length > MOST_PATTERNS ? [] : distinct,
    folders: folders.length > MOST_PATTERNS ? [] : folders,
    copies: commands.flatMap((command) => copyOf(command, places, where.home) ?? []),
  };
}

/** `shopt -s dotglob`, `GLOBIGNORE=x`: after these, `*` also matches hidden files, or `**` whole trees. */
export function changesPatterns(commands: readonly SimpleCommand[]): boolean {
  return commands.some(
    ({ words, assignments }) =>
      words.some(({ value }) => /^(shopt|setopt)$|\b(GLOBIGNORE|BASHOPTS|SHELLOPTS)\b/.test(value)) ||
      assignments.some(({ name }) => /^(GLOBIGNORE|BASHOPTS|SHELLOPTS)$/.test(name)),
  );
}

/** Whether a pattern for one name may match this name. Ignores case, as some shells and file systems do. */
export function nameFits(name: string, pattern: string): boolean {
  if (name.startsWith(".") && /^[*?[]/.test(pattern)) return false;
  const parts = pattern.match(/\\[^]|\[[^\]]+\]|[^]/g) ?? [];
  // The locale decides how many characters the shell sees in other text.
  const wanted = /^[ -~]*$/.test(name) ? parts : parts.map((part) => (isAnyOne(part) ? "*" : part));
  let at = 0;
  let star = -1;
  let since = 0;
  for (let next = 0; next < name.length || at < wanted.length;) {
    const part = wanted[at];
    if (part === "*") {
      star = at++;
      since = next;
    } else if (part !== undefined && next < name.length && isOne(part, name[next]!)) {
      at++;
      next++;
    } else if (star >= 0 && since < name.length) {
      // The last star matches one more character.
      at = star + 1;
      next = ++since;
    } else return false;
  }
  return true;
}

/** A bracket matches any character. */
const isAnyOne = (part: string) => part === "?" || (part.length > 1 && part.startsWith("["));

function isOne(part: string, letter: string): boolean {
  if (isAnyOne(part)) return true;
  const own = part.startsWith("\\") ? part.slice(1) : part;
  return own === letter || own.toLowerCase() === letter.toLowerCase();
}

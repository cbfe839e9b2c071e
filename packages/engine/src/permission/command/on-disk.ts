// What of the disk the gate has to be told before it can judge a command: where its paths lead, which files its
// patterns stand for, and what lies in the folders it goes through. It names them; somebody else looks.

import type { CommandAnalysis, SimpleCommand } from "./command.ts";
import { everyCommand, filesOf, isLost, placesIn, type Where } from "./command-files.ts";
import { listsLinks, printerFor } from "./xargs.ts";
import { copyOf, deepFolders, searchedBy, type DeepFolder, type Transfer } from "./deep.ts";
import { patternFolder } from "../match/match-path.ts";
import type { Ends } from "../question.ts";

/** What was found. What is missing was not looked at, or was too much to be looked at: it may be anything. */
export interface OnDisk {
  /** The files each pattern stands for now. */
  readonly matches: ReadonlyMap<string, readonly Ends[]>;
  /** All that lies in a folder, or in those a pattern stands for. */
  readonly contents: ReadonlyMap<string, readonly Ends[]>;
}

export interface LookUps {
  /** To be resolved. */
  readonly paths: readonly string[];
  /** Absolute, escaped where they are literal. */
  readonly patterns: readonly string[];
  /** follow: links in there lead further. shallow: only what lies directly in there. */
  readonly folders: readonly DeepFolder[];
  /** Folders that are copied whole: what is there already, under the names of their `landings`, is written through. */
  readonly copies: readonly Transfer[];
}

const MOST_PATTERNS = 64;
const NOTHING: LookUps = { paths: [], patterns: [], folders: [], copies: [] };

export function toLookUp(analysis: CommandAnalysis, where: Where, real: (path: string) => string): LookUps {
  // What cannot be read whole is asked about whatever is on the disk.
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
  // What a pattern stands for is then for the shell to know.
  const patterns = changesPatterns(commands) ? [] : files.filter((file) => file.pattern).map((file) => file.path);
  const distinct = [...new Set(patterns)];
  return {
    paths: [...new Set([...places, ...paths])],
    patterns: distinct.length > MOST_PATTERNS ? [] : distinct,
    folders: folders.length > MOST_PATTERNS ? [] : folders,
    copies: commands.flatMap((command) => copyOf(command, places, where.home) ?? []),
  };
}

/** `shopt -s dotglob`, `GLOBIGNORE=x`: from then on `*` finds hidden files as well, or `**` whole trees. */
export function changesPatterns(commands: readonly SimpleCommand[]): boolean {
  return commands.some(
    ({ words, assignments }) =>
      words.some(({ value }) => /^(shopt|setopt)$|\b(GLOBIGNORE|BASHOPTS|SHELLOPTS)\b/.test(value)) ||
      assignments.some(({ name }) => /^(GLOBIGNORE|BASHOPTS|SHELLOPTS)$/.test(name)),
  );
}

/** Whether a pattern for one name may stand for this one. In any case, as some shells and file systems have it. */
export function nameFits(name: string, pattern: string): boolean {
  if (name.startsWith(".") && /^[*?[]/.test(pattern)) return false;
  const parts = pattern.match(/\\[^]|\[[^\]]+\]|[^]/g) ?? [];
  // How many letters other characters are to the shell, its locale decides.
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
      // The last star takes one more.
      at = star + 1;
      next = ++since;
    } else return false;
  }
  return true;
}

/** A bracket is taken for any letter. */
const isAnyOne = (part: string) => part === "?" || (part.length > 1 && part.startsWith("["));

function isOne(part: string, letter: string): boolean {
  if (isAnyOne(part)) return true;
  const own = part.startsWith("\\") ? part.slice(1) : part;
  return own === letter || own.toLowerCase() === letter.toLowerCase();
}

// The programs that a shell looks up by name while it runs the hooks and helpers of a configuration. Which words of a text
// are programs is not known, so a word is enough.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileHead, isScript } from "./content.ts";
import { absoluteFolders, isRoot, isSystemFolder } from "./helpers.ts";
import { trailOf } from "./trail.ts";

export interface ShellText {
  readonly path: string | undefined;
  /** The commands in the settings. */
  readonly shell: readonly string[];
  /** The scripts that they run. */
  readonly scripts: readonly string[];
}

const MOST_READ = 64 * 1024;

/** Where commands must not create or change a file: in each open folder, every name that would be found there. */
export function shellNames({ path, shell, scripts }: ShellText, isOpen: (path: string) => boolean): readonly string[] {
  if (shell.length + scripts.length === 0) return [];
  const folders = distinct(absoluteFolders(path));
  const open = new Set(folders.filter((folder) => isOpen(join(folder, "x"))));
  if (open.size === 0) return [];
  const names = folders.map((folder) => new Set(namesIn(folder)));
  const first = new Set(["bash", "sh", ...shell.flatMap(commandNames)]);
  const words = shellWords(shell);
  const inScripts = shellWords(scripts.map(scriptText));
  // Programs that are scripts in turn.
  const inner = [...words, ...inScripts].flatMap((word) => {
    const at = names.findIndex((each) => each.has(word));
    return at >= 0 && (words.has(word) || open.has(folders[at]!)) ? [join(folders[at]!, word)] : [];
  });
  const mentioned = words.union(inScripts).union(shellWords(inner.filter(isScript).map(scriptText)));
  return folders.flatMap((folder, at) => {
    if (!open.has(folder)) return [];
    // Here, or where it is found as long as nothing is here.
    const isFound = (word: string) => names.slice(at).some((each) => each.has(word));
    // Root may write the system's folders too. There, only what the settings themselves name is guarded, for its cost.
    const guarded = isRoot() && isSystemFolder(folder) ? words : mentioned;
    const missing = isRoot() && isSystemFolder(folder) ? [] : first;
    return [...new Set([...missing, ...[...guarded].filter(isFound)])].map((word) => join(folder, word));
  });
}

/** `/bin` is often a link to `/usr/bin`. */
function distinct(folders: readonly string[]): readonly string[] {
  const real = folders.map((folder) => trailOf(folder).real ?? folder);
  return folders.filter((_, at) => real.indexOf(real[at]!) === at);
}

const KEYWORDS = new Set("if then else elif fi do done while until for case esac in function time ! [ [[".split(" "));
/** These run the program that comes next. */
const WRAPPERS = new Set("exec command env xargs nohup nice timeout sudo setsid stdbuf".split(" "));

/** The words that are where a shell expects a command: guarded even if there is no such program yet. */
function commandNames(text: string): readonly string[] {
  return text.split(/[;|&(){}`\n]+/).flatMap((part) => {
    const found: string[] = [];
    for (const word of part.trim().split(/\s+/)) {
      const name = word.replaceAll(/["'\\$]/g, "");
      if (KEYWORDS.has(name) || /^-|^\w+=|^\d/.test(name)) continue;
      if (/^[\w.+-]{1,64}$/.test(name)) found.push(name);
      if (!WRAPPERS.has(name)) break;
    }
    return found;
  });
}

export const scriptText = (path: string) => fileHead(path, MOST_READ);

export function shellWords(texts: readonly string[]): Set<string> {
  return new Set(texts.flatMap((text) => text.match(/[A-Za-z0-9_][\w.+-]{0,63}/g) ?? []));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

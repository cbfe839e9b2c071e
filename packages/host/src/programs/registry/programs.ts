// The registry of everything that runs outside the shield. Each program is looked up once and stays the file it was: what a
// command could change is guarded by the shield, and compared before it runs.

import { statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { programHash, fileHead, isScript } from "./content.ts";
import { absoluteFolders, findHelper, isRoot, type FindHelper } from "./helpers.ts";
import { scriptText, shellNames, shellWords } from "./shell-names.ts";
import { isProgram } from "../../shell/environment/choose.ts";
import { atOneMoment, isChangeable, trailOf } from "./trail.ts";

export { findHelper, helperEnvironment, helperMissing, type FindHelper } from "./helpers.ts";

export interface ProgramPlace {
  /** PATH. */
  readonly path: string | undefined;
  /** A relative path is meant from here. */
  readonly cwd: string;
}

export type ResolvedProgram =
  | { readonly path: string }
  /** `isChanged` if it is not what it was; otherwise there is none. */
  | { readonly problem: string; readonly isChanged: boolean };

type Changed = Extract<ResolvedProgram, { readonly problem: string }>;

/** What the configuration in force runs outside the shield. */
export interface ConfiguredPrograms extends ProgramPlace {
  /** Programs that are started directly, some with a PATH of their own. */
  readonly programs: readonly { readonly command: string; readonly path?: string | undefined }[];
  /** Text for a shell, which looks up the words in it by name. */
  readonly shell: readonly string[];
  /** The scripts that are run in turn. */
  readonly scripts: readonly string[];
  /** What it runs by a path, and what builds and package managers replace: not guarded, but compared. */
  readonly replaceable: readonly string[];
  /** Folders that people build programs in. */
  readonly directories: readonly string[];
  readonly home: string;
}

export interface Programs {
  /** One of our own programs, from a folder that commands cannot change. */
  readonly helper: FindHelper;
  /** A program that the user's configuration names. */
  configured(command: string, place: ProgramPlace): ResolvedProgram;
  /** A program with a path. If the shield guards it as a script of the configuration, people may edit it meanwhile. */
  script(path: string, place: ProgramPlace): ResolvedProgram;
  /** The bash that runs hooks. That of macOS is old, so there the PATH decides. */
  shell(path: string | undefined): ResolvedProgram;
  /** Why a command is not run: a program that it may look up by name is not what it was. Undefined if it may run. */
  changedIn(command: string, path: string | undefined): Changed | undefined;
  /** A command for a shell, and the scripts that it names. */
  text(command: string): string;
  /** Looks up all programs of a configuration that is taken into force. */
  configure(config: ConfiguredPrograms): void;
  /** From now on, the shield keeps commands from changing what `guarded` lists. */
  shielded(): void;
  /** The files, links and names that commands must not change or create. Some do not exist. */
  guarded(): readonly string[];
}

interface Known {
  /** Where it was found; null if nowhere. */
  readonly found: string | null;
  /** The file and the interpreters that it needs. */
  readonly files: Part[];
  /** Where a file of this name would have been found instead. */
  readonly shadows: readonly string[];
  /** The same for the interpreters that `env` looks up each time it runs. */
  readonly wanted: readonly string[];
}

/** A file that may be run, as it was. */
interface Part {
  readonly path: string;
  real: string;
  stamp: string;
  /** Null if it is too large to be read again; undefined if it is read when it is first used. */
  hash: string | null | undefined;
  readonly isProgram: boolean;
}

/** Package managers replace what is in these, so it cannot be read-only. */
const PACKAGES = /\/(?:node_modules|\.venv|venv|site-packages)\//;
const MOST_INTERPRETERS = 3;
/** What root runs in nearly every session. Each costs every command a tenth of a millisecond. */
const GUARDED_FOR_ROOT = ["bwrap", "git", "bash", "sh"];
/** Root could replace these too, so they are looked up before the first command, and compared. */
const COMPARED_FOR_ROOT = ["pdftoppm", "tmux", "notify-send", "sleep", "seq", "date", "whoami", "uname", "nproc"];
/** What is named here is loaded into every program. */
const PRELOADED = "/etc/ld.so.preload";

export function createPrograms(path: string | undefined, find = findHelper): Programs {
  const known = new Map<string, Known>();
  const helpers = new Map<string, Part | null>();
  let guarded: ReadonlySet<string> = new Set();
  /** What shell text may look up by name, as it was when the text was first seen; null for what did not exist. */
  const inText = new Map<string, Part | null>();
  /** The words of each text, also of the scripts that it runs. */
  const texts = new Map<string, ReadonlySet<string>>();
  let scripts: readonly string[] = [];
  let byPath: ReadonlySet<string> = new Set();
  let isConfigured: ReadonlySet<string> = new Set();
  let isShielded = false;

  function lookUp(command: string, { path: folders, cwd }: ProgramPlace): Known {
    const isPath = command.includes(sep);
    const key = JSON.stringify(isPath ? [resolve(cwd, command)] : [command, folders]);
    let one = known.get(key);
    if (!one) known.set(key, (one = isPath ? atPath(resolve(cwd, command), folders) : onPath(command, folders)));
    return one;
  }

  /** Without reading it: a dozen programs take 5 ms, and a session uses two of them. */
  function lookUpHelper(name: string): Part | null {
    let one = helpers.get(name);
    if (one === undefined) {
      const found = find(name, path);
      helpers.set(name, (one = found === null ? null : partOf(found, { reads: false })));
    }
    return one;
  }

  function helper(name: string): string | null {
    const one = lookUpHelper(name);
    return one && isUnchanged(one) ? one.path : null;
  }

  function configured(command: string, place: ProgramPlace): ResolvedProgram {
    const one = lookUp(command, place);
    if (one.found === null) {
      if (one.shadows.some(isProgram)) return changed(command, "was installed");
      return { problem: `"${command}" was not found`, isChanged: false };
    }
    const isSame = isProgram(one.found) && one.files.every(isUnchanged) && !one.wanted.some(isProgram);
    return isSame ? { path: one.found } : changed(one.found, "changed");
  }

  const textOf = (command: string) =>
    [command, ...scripts.filter((each) => command.includes(basename(each))).map(scriptText)].join("\n");

  /** What the shield guards is what it was; people may edit their scripts meanwhile. */
  const isGuardedNow = (each: string) => isShielded && (guarded.has(each) || scripts.includes(each));

  function remember(paths: readonly string[]): void {
    for (const each of paths) if (!inText.has(each)) inText.set(each, partOf(each));
  }

  function wordsOf(command: string, path: string | undefined): ReadonlySet<string> {
    let words = texts.get(command);
    if (words) return words;
    const text = textOf(command);
    if (!isConfigured.has(command)) remember(shellNames({ path, shell: [text], scripts: [] }, isOpen));
    const own = shellWords([text]);
    // Programs that are scripts in turn.
    const inner = [...inText.keys()].filter((each) => own.has(basename(each)) && isScript(each));
    texts.set(command, (words = own.union(shellWords(inner.map(scriptText)))));
    return words;
  }

  function changedIn(command: string, path: string | undefined): Changed | undefined {
    const words = wordsOf(command, path);
    const folders = new Set(absoluteFolders(path));
    for (const [each, part] of inText) {
      const name = basename(each);
      const isNamed = byPath.has(each) ? command.includes(name) : words.has(name) && folders.has(dirname(each));
      if (!isNamed || isGuardedNow(each) || (part ? isUnchanged(part) : !isProgram(each))) continue;
      return changed(each, part ? "changed" : "was installed");
    }
    return undefined;
  }

  return {
    helper,
    configured,
    script: (path, place) => (isShielded && scripts.includes(path) ? { path } : configured(path, place)),
    changedIn,
    shell(folders) {
      const system = process.platform === "darwin" ? null : findHelper("bash", folders);
      return system === null ? configured("bash", { path: folders, cwd: "/" }) : { path: system };
    },
    text: textOf,
    configure: (config) => atOneMoment(() => configure(config)),
    shielded() {
      isShielded = true;
    },
    guarded: () => [...guarded],
  };

  function configure(config: ConfiguredPrograms): void {
    const used = config.programs.map(({ command, path: own }) =>
      lookUp(command, { ...config, path: own ?? config.path }),
    );
    const mayGuard = (each: string) => isGuarded(each, config);
    const files = used
      .flatMap((one) => [...one.files.map((part) => part.path), ...one.shadows, ...one.wanted])
      .filter(mayGuard)
      .flatMap((each) => [...trailOf(each).links, each]);
    scripts = config.scripts;
    const own = isRoot() ? [...GUARDED_FOR_ROOT.flatMap((name) => lookUpHelper(name)?.path ?? []), PRELOADED] : [];
    if (isRoot()) COMPARED_FOR_ROOT.forEach(lookUpHelper);
    const inner = used.flatMap((one) => one.files.map(({ real }) => real)).filter(isScript);
    const names = shellNames({ ...config, scripts: [...config.scripts, ...inner] }, isOpen);
    guarded = new Set([...own, ...files, ...names.filter(mayGuard)]);
    isConfigured = new Set(config.shell);
    texts.clear();
    byPath = new Set([...config.scripts, ...config.replaceable]);
    remember([...names, ...byPath]);
  }
}

/** What this program is started from, now and the next time. */
export function keelsonProgram(path: string | undefined): readonly { readonly command: string }[] {
  const isBuilt = Bun.main.startsWith("/$bunfs/");
  const isOnPath = absoluteFolders(path).some((folder) => isProgram(join(folder, NAME)));
  return [process.execPath, ...(isBuilt ? [] : [Bun.main]), ...(isOnPath ? [NAME] : [])].map((command) => ({
    command,
  }));
}

const NAME = "keelson";

/** Whether a program that the configuration names is there. */
export function isInstalled(command: string, { path, cwd }: ProgramPlace): boolean {
  return "path" in createPrograms(path).configured(command, { path, cwd });
}

const changed = (program: string, how: string): Changed => ({
  problem: `"${program}" ${how} while this session was running, so it is not run; restart the session to use it`,
  isChanged: true,
});

/** Whether a command could put something in this place. */
const isOpen = (path: string) => isChangeable(path);

function atPath(file: string, path: string | undefined): Known {
  const found = isProgram(file) ? file : null;
  return { found, ...filesOf(found, path), shadows: found === null ? [file] : [] };
}

function onPath(command: string, path: string | undefined): Known {
  const { found, before } = search(command, path);
  return { found, ...filesOf(found, path), shadows: before };
}

function search(name: string, path: string | undefined) {
  const candidates = absoluteFolders(path).map((folder) => join(folder, name));
  const at = candidates.findIndex(isProgram);
  return { found: candidates[at] ?? null, before: at < 0 ? candidates : candidates.slice(0, at) };
}

/** The file, and what its first line says that it is run with. */
function filesOf(found: string | null, path: string | undefined, depth = 0): Pick<Known, "files" | "wanted"> {
  const part = found === null ? null : partOf(found);
  if (part === null) return { files: [], wanted: [] };
  const [interpreter, ...args] = /^#![ \t]*(.*)/.exec(fileHead(part.real, 512))?.[1]?.trim().split(/\s+/) ?? [];
  if (interpreter === undefined || !isAbsolute(interpreter) || depth === MOST_INTERPRETERS)
    return { files: [part], wanted: [] };
  const isEnv = basename(interpreter) === "env";
  const name = isEnv ? args.find((arg) => !arg.startsWith("-") && !arg.includes("=")) : undefined;
  const named = name === undefined ? { found: null, before: [] } : search(name, path);
  const inner = [interpreter, named.found].map((each) => filesOf(each, path, depth + 1));
  return {
    files: [part, ...inner.flatMap(({ files }) => files)],
    wanted: [...named.before, ...inner.flatMap(({ wanted }) => wanted)],
  };
}

function partOf(path: string, { reads } = { reads: true }): Part | null {
  const trail = trailOf(path);
  if (trail.real === null) return null;
  const part: Part = {
    path,
    real: trail.real,
    stamp: stampOf(trail.real),
    hash: isChangeable(path, trail) ? undefined : null,
    isProgram: isProgram(path),
  };
  if (reads) read(part);
  return part;
}

/** The stamp says that this is what it contained when it was looked up. */
function read(part: Part): void {
  if (part.hash !== undefined) return;
  const hash = programHash(part.real);
  part.hash = stampOf(part.real) === part.stamp ? hash : null;
}

/** What only an administrator can change, such as a package of the system, may be newer than it was. */
function isUnchanged(part: Part): boolean {
  const trail = trailOf(part.path);
  if (trail.real === null || (part.isProgram && !isProgram(part.path))) return false;
  const stamp = stampOf(trail.real);
  if (trail.real === part.real && stamp === part.stamp) {
    read(part);
    return true;
  }
  if (!isChangeable(part.path, trail)) return true;
  // Installed again, with the same content.
  if (part.hash === null || part.hash === undefined || programHash(trail.real) !== part.hash) return false;
  part.real = trail.real;
  part.stamp = stamp;
  return true;
}

function stampOf(path: string): string {
  try {
    const { dev, ino, ctimeNs, size } = statSync(path, { bigint: true });
    return [dev, ino, ctimeNs, size].join(":");
  } catch {
    return "";
  }
}

/** Not what commands cannot change anyway, and not what people build or package managers replace; that is compared. */
function isGuarded(path: string, { directories, home }: ConfiguredPrograms): boolean {
  const isBuilt = directories.some(
    (each) => path.startsWith(`${each}${sep}`) && !`${home}${sep}`.startsWith(`${each}${sep}`),
  );
  return !isBuilt && !PACKAGES.test(path) && isChangeable(path);
}

// The instruction files that a session starts with, in order: managed, user, each folder from the file system root to the
// working directory, and memory.

import { dirname, join, sep } from "node:path";
import { isVariableOn } from "@keelson/protocol";
import { managedDirectory } from "../scopes/scopes.ts";
import type { Snapshot } from "../load/snapshot.ts";
import { includeAnswers, type IncludeAnswers } from "./approval.ts";
import { createCollector, type Candidate, type Collector } from "./collect.ts";
import type { InstructionFile, InstructionKind, LoadReason } from "./instruction-file.ts";
import { lookInto, rulesIn, type FolderFiles } from "./files/look-into.ts";
import { repositoryRoot } from "./files/repository.ts";
import {
  memoryDirectory,
  readMemory,
  realMemoryDirectory,
  type MemoryFolder,
  type ProjectDirectory,
} from "./memory.ts";

export type InstructionSettings = Pick<
  Snapshot,
  "cwd" | "home" | "configDir" | "env" | "settings" | "flags" | "directories" | "trusted" | "requireTrust" | "origin"
>;

export interface InstructionOptions {
  /** `projects/<key>` in the config folder, for a repository root. */
  readonly projectDirectory: ProjectDirectory;
  /** Whether a rule denies reading a file. Only checked for files that are included or linked. */
  isDenied?(path: string): boolean;
  /** Whether a file or folder outside the project may be read, by its real path. Absent: as the user said. */
  isApproved?(real: string): boolean;
}

export interface Tiers {
  readonly plan: Plan;
  readonly collector: Collector;
  readonly files: readonly InstructionFile[];
  readonly memory: MemoryFolder | undefined;
}

/** Which kinds of files are read, and why others are not. */
export interface Plan {
  readonly cwd: string;
  readonly off: Readonly<Partial<Record<InstructionKind, string>>>;
  look(folder: string): FolderFiles;
}

export function readTiers(settings: InstructionSettings, options: InstructionOptions, reason: LoadReason): Tiers {
  const { cwd, home, configDir, env, origin } = settings;
  let answers: IncludeAnswers | undefined;
  const isExcluded = excluder(settings.settings["claudeMdExcludes"]);
  const collector = createCollector({
    home,
    uid: origin.uid,
    isExcluded,
    isDenied: options.isDenied ?? (() => false),
    isApproved: options.isApproved ?? ((real) => (answers ??= includeAnswers(settings)).approved.includes(real)),
  });
  const agents = settings.settings["readAgentsMd"] !== false;
  const others = new Set([configDir, join(home, ".claude")]);
  const root = settings.flags.projectConfigRoot ?? cwd;
  // With --project-config-root, only the `.claude` of that folder is read.
  const isOther = (path: string) => others.has(path) || (root !== cwd && path !== join(root, ".claude"));
  const plan: Plan = {
    cwd,
    off: turnedOff(settings),
    look: (folder) => lookInto(folder, { agents, isOther, watch: collector.watch }),
  };

  const files = [...managed(settings, reason, collector), ...user(settings, plan, reason, collector)];
  const isDoubled = inMainCheckout(cwd);
  const localOnly: Plan = { ...plan, off: { ...plan.off, Project: "the worktree has its own" } };
  for (const folder of downTo(cwd)) {
    files.push(...folderFiles(folder, isDoubled(folder) ? localOnly : plan, { reason }, collector));
  }
  if (root !== cwd) files.push(...folderFiles(root, { ...plan, look: dotOnly(plan.look) }, { reason }, collector));
  if (isVariableOn(env["CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD"])) {
    for (const folder of settings.directories) files.push(...folderFiles(folder, plan, { reason }, collector));
  }
  const folder = memoryDirectory(settings, options.projectDirectory);
  const memory = folder === undefined ? undefined : { folder, real: realMemoryDirectory(folder, settings) };
  if (memory && plan.off.AutoMemory === undefined) files.push(...readMemory(memory, reason, collector));
  return { plan, collector, files, memory };
}

/** Managed instructions are always read: no flag, setting or pattern turns them off. */
function managed({ settings, origin }: InstructionSettings, reason: LoadReason, collector: Collector) {
  const folder = origin.managedDir ?? managedDirectory(origin.platform);
  const text = settings["claudeMd"];
  const inline: InstructionFile[] =
    typeof text === "string" && text.trim() !== ""
      ? [{ path: join(folder, "managed-settings.json"), kind: "Managed", text, reason, bytes: Buffer.byteLength(text) }]
      : [];
  return [...collector.take({ path: join(folder, "CLAUDE.md"), kind: "Managed", reason }), ...inline];
}

function user({ configDir, cwd }: InstructionSettings, { off }: Plan, reason: LoadReason, collector: Collector) {
  const path = join(configDir, "CLAUDE.md");
  const rules = join(configDir, "rules");
  if (off.User !== undefined) {
    for (const each of [path, rules].filter((each) => collector.watch(each).kind !== "none")) {
      collector.leaveOut(each, off.User, { notable: false });
    }
    return [];
  }
  return [
    ...collector.take({ path, kind: "User", reason }),
    ...rulesIn(rules, undefined, collector).flatMap((rule) =>
      collector.takeRule({ path: rule, kind: "User", reason }, cwd),
    ),
  ];
}

/** The files of one folder. At the start, rules come before the local file, later after it, as in the reference (2.1.197). */
export function folderFiles(
  folder: string,
  { cwd, off, look }: Plan,
  cause: Pick<Candidate, "reason" | "trigger">,
  collector: Collector,
): readonly InstructionFile[] {
  const found = look(folder);
  const roots = [cwd, folder];
  const of = (path: string, kind: InstructionKind): Candidate => ({ path, kind, roots, ...cause });
  const take = (paths: readonly string[], kind: "Project" | "Local") => {
    const why = off[kind];
    if (why === undefined) return paths.flatMap((path) => collector.take(of(path, kind)));
    for (const path of paths) collector.leaveOut(path, why, { notable: why === UNTRUSTED });
    return [];
  };
  const rules = () => {
    if (found.rules === undefined) return [];
    if (off.Project !== undefined) return take([found.rules], "Project");
    return rulesIn(found.rules, roots, collector).flatMap((path) => collector.takeRule(of(path, "Project"), folder));
  };
  const local = () => take(found.local, "Local");
  const order = cause.trigger === undefined ? [rules, local] : [local, rules];
  return [...take(found.main, "Project"), ...order.flatMap((next) => next())];
}

/** Only the files in the `.claude` of a folder. */
const dotOnly =
  (look: Plan["look"]): Plan["look"] =>
  (folder) => {
    const { main, ...found } = look(folder);
    return { ...found, main: main.filter((path) => path.startsWith(join(folder, ".claude") + sep)), local: [] };
  };

const UNTRUSTED = "trust is required and this folder is not trusted";

function turnedOff({ flags, env, trusted, requireTrust }: InstructionSettings): Plan["off"] {
  const all = (why: string) => ({ User: why, Project: why, Local: why, AutoMemory: why, TeamMemory: why });
  if (flags.bare) return all("--bare skips it");
  if (flags.safe) return all("--safe-mode skips it");
  if (isVariableOn(env["CLAUDE_CODE_DISABLE_CLAUDE_MDS"])) return all("CLAUDE_CODE_DISABLE_CLAUDE_MDS is set");
  const { settingSources: sources = ["user", "project", "local"] } = flags;
  const excluded = (source: "user" | "project" | "local") => `--setting-sources does not include ${source}`;
  return {
    ...(sources.includes("user") ? {} : { User: excluded("user") }),
    ...(sources.includes("project") ? {} : { Project: excluded("project") }),
    ...(sources.includes("local") ? {} : { Local: excluded("local") }),
    ...(requireTrust && !trusted ? { Project: UNTRUSTED, Local: UNTRUSTED } : {}),
  };
}

/** From the file system root to the folder. */
function downTo(folder: string): readonly string[] {
  const folders = [folder];
  for (let up = dirname(folder); up !== folders.at(-1); up = dirname(up)) folders.push(up);
  return folders.toReversed();
}

/**
 * A worktree in `.claude/worktrees` of its main checkout has its own copies of the files there. The local files of the main
 * checkout have none.
 */
function inMainCheckout(cwd: string): (folder: string) => boolean {
  const [, top, main] = /^((.*)\/\.claude\/worktrees\/[^/]+)(?:\/|$)/.exec(cwd) ?? [];
  if (main === undefined || top === undefined || repositoryRoot(top) !== main) return () => false;
  return (folder) => folder !== top && !folder.startsWith(`${top}/`) && `${folder}/`.startsWith(`${main}/`);
}

const MOST_EXCLUDES = 1_000;

function excluder(patterns: unknown): (path: string) => boolean {
  const globs = (Array.isArray(patterns) ? (patterns as readonly unknown[]) : [])
    .slice(0, MOST_EXCLUDES)
    .filter((pattern) => typeof pattern === "string")
    .map((pattern) => ({ pattern, glob: new Bun.Glob(pattern) }));
  return (path) => globs.some(({ pattern, glob }) => pattern === path || glob.match(path.split(sep).join("/")));
}

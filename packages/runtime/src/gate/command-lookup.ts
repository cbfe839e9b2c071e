// Collects what the gate needs to judge a command: its parsed parts, where its paths lead, which files its patterns
// match, and what git would load in its folder. Loaded with the first command.

import { lstatSync } from "node:fs";
import type { Access, GateQuestion } from "@keelson/engine";
import {
  analyseOnce,
  analysePowerShell,
  commandChecks,
  gitFolders,
  landings,
  nameFits,
  namesOnPath,
  powershellChecks,
  toLookUp,
  type LookUps,
  type OnDisk,
} from "@keelson/engine/command";
import { realPathOf } from "@keelson/disk/real-path";
import { programsOnPath } from "@keelson/host";
import { createGitLookup, type GitLookupOptions } from "@keelson/host/git";
import { listContents, expandPattern, type FoundPath } from "@keelson/host/look-up";

/** Remembers repositories between commands. */
export type CommandLookup = (access: Access & { kind: "command" }, home: string) => Partial<GateQuestion>;

export function createCommandLookup(git: GitLookupOptions): CommandLookup {
  const gitIn = createGitLookup(git);
  return (access, home) => {
    const isPowerShell = access.language === "powershell";
    const analysis = isPowerShell ? analysePowerShell(access.command) : analyseOnce(access.command);
    const where = { cwd: access.cwd, home };
    const wanted = toLookUp(analysis, where, realPathOf);
    const { folders } = gitFolders(analysis.commands, where);
    const found = onDisk(wanted);
    const taken = wanted.copies.flatMap((copy) => landings(copy, found.contents)).filter(isLink);
    return {
      analysis,
      commandChecks: isPowerShell ? powershellChecks : commandChecks,
      realPaths: new Map([...wanted.paths, ...taken].map((path) => [path, realPathOf(path)])),
      onDisk: found,
      git: new Map(folders.map((folder) => [folder, gitIn(folder)])),
      programs: programsOnPath(isPowerShell ? [] : namesOnPath(analysis), git.env()["PATH"]),
    };
  };
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  } catch {
    return false;
  }
}

/** Takes about half a second. */
const MAX_PATHS_SEEN = 200_000;

function onDisk({ patterns, folders }: LookUps): OnDisk {
  const budget = { left: MAX_PATHS_SEEN };
  const matches = known(patterns.map((pattern) => [pattern, expandPattern(pattern, nameFits, budget)]));
  const contents = known(
    folders.map(({ path, pattern, ...depth }) => {
      const starts = pattern ? matches.get(path)?.map(({ given }) => given) : [path];
      const found = starts?.map((start) => listContents(start, depth, budget));
      return [path, found?.includes(undefined) ? undefined : found?.flatMap((each) => each ?? [])];
    }),
  );
  return { matches, contents };
}

function known(found: readonly (readonly [string, FoundPath[] | undefined])[]): Map<string, readonly FoundPath[]> {
  return new Map(found.filter((each): each is readonly [string, FoundPath[]] => each[1] !== undefined));
}

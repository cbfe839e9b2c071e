// A call as the gate wants it asked: links resolved, the command parsed, its patterns looked up. The only place that
// makes such a question.

import { lstatSync } from "node:fs";
import type { Access, GateQuestion } from "@keelson/engine";
import { gitFolders, landings, nameFits, toLookUp, type LookUps, type OnDisk } from "@keelson/engine/gate";
import { realPathOf } from "@keelson/host";
import type { GitLookup } from "@keelson/host/git";
import { listContents, expandPattern, type FoundPath } from "@keelson/host/look-up";

export { createGitLookup } from "@keelson/host/git";

export { explained, withLinks } from "./links.ts";

/** All that a question needs besides the call itself and what is looked up for it. */
export type GateFacts = Omit<
  GateQuestion,
  "tool" | "input" | "access" | "realPath" | "realPaths" | "onDisk" | "analysis" | "git"
>;

export async function gateQuestion(
  facts: GateFacts,
  call: Pick<GateQuestion, "tool" | "input" | "access">,
  gitIn: GitLookup,
): Promise<GateQuestion> {
  const found = await lookedUp(call.access, facts.home, gitIn);
  const matched = [...(found.onDisk?.matches.values() ?? [])].flat().map(({ real }) => real);
  const paths = [found.realPath ?? [], [...(found.realPaths?.values() ?? [])], matched].flat();
  return { ...facts, ...call, ...found, governing: withOtherNames(facts.governing ?? [], paths) };
}

/** With those of these paths that are a second name of a governing file: a hard link, which no path tells. */
function withOtherNames(governing: readonly string[], paths: readonly string[]): readonly string[] {
  const linked = paths.filter((path) => identityOf(path) !== undefined);
  if (linked.length === 0) return governing;
  const own = new Set(governing.map(identityOf));
  return [...governing, ...linked.filter((path) => own.has(identityOf(path)))];
}

/** Undefined for files that have one name only. */
function identityOf(path: string): string | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found?.isFile() && found.nlink > 1 ? `${found.dev} ${found.ino}` : undefined;
  } catch {
    return undefined;
  }
}

async function lookedUp(access: Access, home: string, gitIn: GitLookup): Promise<Partial<GateQuestion>> {
  if (access.kind === "read" || access.kind === "edit") return { realPath: realPathOf(access.path) };
  if (access.kind !== "command") return {};
  // The shell parser costs about 1 ms to load; sessions that never run a command never pay it.
  const { analyseCommand } = await import("@keelson/engine/command");
  const analysis = analyseCommand(access.command);
  const where = { cwd: access.cwd, home };
  const asked = toLookUp(analysis, where, realPathOf);
  const { folders } = gitFolders(analysis.commands, where);
  const found = onDisk(asked);
  const taken = asked.copies.flatMap((copy) => landings(copy, found.contents)).filter(isLink);
  return {
    analysis,
    realPaths: new Map([...asked.paths, ...taken].map((path) => [path, realPathOf(path)])),
    onDisk: found,
    git: new Map(folders.map((folder) => [folder, gitIn(folder)])),
  };
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  } catch {
    return false;
  }
}

/** About half a second's worth. */
const MOST_SEEN = 200_000;

function onDisk({ patterns, folders }: LookUps): OnDisk {
  const sight = { left: MOST_SEEN };
  const matches = known(patterns.map((pattern) => [pattern, expandPattern(pattern, nameFits, sight)]));
  const contents = known(
    folders.map(({ path, pattern, ...depth }) => {
      const starts = pattern ? matches.get(path)?.map(({ given }) => given) : [path];
      const found = starts?.map((start) => listContents(start, depth, sight));
      return [path, found?.includes(undefined) ? undefined : found?.flatMap((each) => each ?? [])];
    }),
  );
  return { matches, contents };
}

function known(looked: readonly (readonly [string, FoundPath[] | undefined])[]): Map<string, readonly FoundPath[]> {
  return new Map(looked.filter((each): each is readonly [string, FoundPath[]] => each[1] !== undefined));
}

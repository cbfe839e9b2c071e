// The memory folder of a project, and the part of its index that is shown at the start.

import { realpathSync } from "node:fs";
import { dirname, isAbsolute, join, resolve, sep } from "node:path";
import { unplantedFolder } from "@keelson/disk/real-path";
import { isVariableOn } from "@keelson/protocol";
import { atHome } from "../scopes/scopes.ts";
import type { Snapshot } from "../load/snapshot.ts";
import type { Collector } from "./collect.ts";
import type { InstructionFile, LoadReason } from "./instruction-file.ts";
import { readInstruction } from "./files/read-instruction.ts";
import { repositoryRoot } from "./files/repository.ts";

export type MemoryPlace = Pick<Snapshot, "cwd" | "home" | "env" | "settings" | "flags">;

/** Returns the folder for the project files of a repository root. The caller knows where transcripts are. */
export type ProjectDirectory = (root: string) => string;

/** All worktrees of a repository share one folder. Undefined if memory is off. */
export function memoryDirectory(place: MemoryPlace, projectDirectory: ProjectDirectory): string | undefined {
  const { settings, env, flags } = place;
  if (
    flags.bare ||
    flags.safe ||
    settings.autoMemoryEnabled === false ||
    isVariableOn(env["CLAUDE_CODE_DISABLE_AUTO_MEMORY"])
  )
    return undefined;
  return chosen(place) ?? join(projectDirectory(repositoryRoot(place.cwd)), "memory");
}

export interface MemoryFolder {
  readonly folder: string;
  /** As `realMemoryDirectory` has it. */
  readonly real: string | undefined;
}

/** With links resolved; undefined if a command may have put a link in its place. Then it is neither read nor written unasked. */
export function realMemoryDirectory(folder: string, place: MemoryPlace & Pick<Snapshot, "configDir">) {
  const { cwd, configDir } = place;
  const above = chosen(place) === undefined ? dirname(dirname(folder)) : dirname(folder);
  return unplantedFolder(folder, [cwd, configDir, above]);
}

/** Refuses the home folder and folders near the root: an agent must not write freely there. */
function chosen({ settings, home, cwd }: MemoryPlace): string | undefined {
  const { autoMemoryDirectory: written } = settings;
  if (written === undefined || !(isAbsolute(written) || written.startsWith("~/"))) return undefined;
  const path = resolve(atHome(written, home, cwd));
  const isTooWide = path.split(sep).filter((name) => name !== "").length < 2 || path === resolve(home) || path === cwd;
  return isTooWide ? undefined : path;
}

const INDEX = "MEMORY.md";
const LINKED = 'it is reached through a link; remove the link, or name the folder it leads to in "autoMemoryDirectory"';

/** The first lines of the agent's own index and of the team's. The model reads other memory files itself. */
export function readMemory(
  { folder, real }: MemoryFolder,
  reason: LoadReason,
  collector: Collector,
): readonly InstructionFile[] {
  if (real === undefined) {
    collector.leaveOut(folder, LINKED);
    return [];
  }
  const places = [
    { kind: "AutoMemory", path: join(folder, INDEX) },
    { kind: "TeamMemory", path: join(folder, "team", INDEX) },
  ] as const;
  return places.flatMap(({ kind, path }) => {
    const reading = readInstruction(path, { accepts: (real) => isInside(folder, real) });
    if (reading.kind === "missing") return [];
    if (reading.kind !== "read") {
      collector.leaveOut(
        path,
        reading.kind === "refused" ? reading.why : `it links to ${reading.real}, outside the memory folder`,
      );
      return [];
    }
    const text = memoryHead(reading.text);
    return text.trim() === "" ? [] : [{ path, kind, text, reason, bytes: Buffer.byteLength(text) }];
  });
}

/** The start of the index of one folder; undefined if it has none, or it is not a file in the folder. */
export function readMemoryIndex(folder: string): string | undefined {
  const reading = readInstruction(join(folder, INDEX), { accepts: (real) => isInside(folder, real) });
  const text = reading.kind === "read" ? memoryHead(reading.text).trim() : "";
  return text === "" ? undefined : text;
}

function isInside(folder: string, real: string): boolean {
  return real.startsWith(realpathSync(folder) + sep);
}

const MOST_LINES = 200;
const MOST_BYTES = 25_000;

/** The first 200 lines or 25 KB, with a warning if there is more. */
export function memoryHead(text: string): string {
  const lines = text.trimEnd().split("\n");
  const bytes = Buffer.byteLength(text);
  if (lines.length <= MOST_LINES && bytes <= MOST_BYTES) return text;
  const head = wholeLines(lines.slice(0, MOST_LINES).join("\n"));
  const sizes = [
    ...(lines.length > MOST_LINES ? [`${lines.length} lines (limit: ${MOST_LINES})`] : []),
    ...(bytes > MOST_BYTES ? [`${(bytes / 1_000).toFixed(1)} KB (limit: ${MOST_BYTES / 1_000} KB)`] : []),
  ];
  const advice = "The rest is not shown. Keep one short line for each memory and move details into their files.";
  return `${head}\n\n> WARNING: ${INDEX} is ${sizes.join(" and ")}. ${advice}`;
}

/** As many whole lines as fit; for one very long line, as many characters. */
function wholeLines(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MOST_BYTES) return text;
  const end = bytes.lastIndexOf("\n", MOST_BYTES);
  return end > 0 ? bytes.toString("utf8", 0, end) : bytes.toString("utf8", 0, MOST_BYTES).replace(/\ufffd$/, "");
}

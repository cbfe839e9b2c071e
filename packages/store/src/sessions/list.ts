// Lists the sessions of a project folder. Reads only the first and last 64 KiB of each transcript.

import { closeSync, fstatSync, lstatSync, readdirSync, readSync } from "node:fs";
import { basename, join } from "node:path";
import { isObject, tryParse } from "@keelson/protocol";
import { openOwnFile, ownFileSize } from "@keelson/disk/own-files";
import {
  isSessionId,
  keyPrefix,
  projectDir,
  projectKey,
  projectsDir,
  transcriptPath,
  type SessionLocation,
} from "../paths.ts";
import { firstPromptIn } from "./first-prompt.ts";

export interface SessionInfo {
  readonly id: string;
  readonly path: string;
  /** As compatible programs list it: a chosen title, a generated one, or the last prompt. */
  readonly title: string;
  /** What it is about: a chosen title, a generated one, or the first prompt. */
  readonly topic: string;
  readonly customTitle: string | undefined;
  readonly firstPrompt: string | undefined;
  readonly lastPrompt: string | undefined;
  readonly tag: string | undefined;
  readonly cwd: string | undefined;
  readonly gitBranch: string | undefined;
  readonly entrypoint: string | undefined;
  /** The name of the worktree that it is in. */
  readonly worktree: string | undefined;
  /** Milliseconds since 1970. */
  readonly modified: number;
  readonly size: number;
}

export type FoundSession =
  | { readonly kind: "found"; readonly id: string; readonly path: string }
  | { readonly kind: "missing"; readonly message: string }
  | { readonly kind: "ambiguous"; readonly message: string; readonly ids: readonly string[] };

/** Newest first. A missing folder has no sessions. */
export function listStoredSessions(dir: string, { limit = Number.POSITIVE_INFINITY } = {}): SessionInfo[] {
  const sessions: SessionInfo[] = [];
  for (const file of sessionFiles(dir)) {
    if (sessions.length >= limit) break;
    const info = sessionInfo(file);
    if (info !== undefined) sessions.push(info);
  }
  return sessions;
}

/**
 * The sessions of several folders, newest first. Lets other work continue in between: a folder may have thousands.
 */
export async function listSessionsIn(dirs: readonly string[]): Promise<SessionInfo[]> {
  const sessions: SessionInfo[] = [];
  let read = 0;
  for (const file of dirs.flatMap(sessionFiles)) {
    const info = sessionInfo(file);
    if (info !== undefined) sessions.push(info);
    if (++read % BATCH === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return sessions.toSorted(newestFirst);
}

/** A few milliseconds of work. */
const BATCH = 32;

/** Undefined if the file is not a session. */
export function sessionAt(path: string): SessionInfo | undefined {
  const file = sessionFile(path);
  return file === undefined ? undefined : sessionInfo(file);
}

/** The session for `--continue`. What a list shows of it is not read: a resume of 5 MB would collect garbage once more. */
export function newestSession(place: SessionLocation): SessionFile | undefined {
  return dirsOf(place)
    .flatMap((dir) => sessionFiles(dir).find(({ path }) => isSession(path)) ?? [])
    .toSorted(newestFirst)[0];
}

/** Finds the session for `--resume`, by id or title. */
export function findSession(place: SessionLocation, wanted: string): FoundSession {
  if (isSessionId(wanted)) {
    const id = wanted.toLowerCase();
    const path = dirsOf(place)
      .flatMap((dir) => [transcriptPath(dir, wanted), transcriptPath(dir, id)])
      .find((candidate) => sizeOf(candidate) > 0);
    if (path !== undefined) return { kind: "found", id: path.slice(-42, -6), path };
    return { kind: "missing", message: `No conversation found with session ID: ${wanted}` };
  }
  const title = wanted.trim().toLowerCase();
  const named = dirsOf(place)
    .flatMap((dir) => listStoredSessions(dir))
    .filter((session) => title !== "" && session.customTitle?.toLowerCase() === title);
  const [first, ...others] = named;
  if (first === undefined) {
    const message = `No conversation in this folder is named "${wanted}"; to choose one, run: keelson --resume`;
    return { kind: "missing", message };
  }
  if (others.length === 0) return { kind: "found", id: first.id, path: first.path };
  const ids = named.toSorted(newestFirst).map((session) => session.id);
  const message = `Several conversations are named "${wanted}"; resume one by its session ID:\n${ids.join("\n")}`;
  return { kind: "ambiguous", message, ids };
}

/** The folder of this directory, then those that older versions may have made for it. */
export function dirsOf(place: SessionLocation): string[] {
  const own = projectDir(place);
  const prefix = place.dirName === undefined ? keyPrefix(projectKey(place.cwd)) : undefined;
  if (prefix === undefined) return [own];
  const root = projectsDir(place.configDir);
  const alike = namesIn(root)
    .filter((name) => name.startsWith(prefix))
    .map((name) => join(root, name));
  return [own, ...alike.filter((dir) => dir !== own)];
}

interface SessionFile {
  readonly id: string;
  readonly path: string;
  readonly modified: number;
}

function sessionFiles(dir: string): SessionFile[] {
  return namesIn(dir)
    .flatMap((name) => sessionFile(join(dir, name)) ?? [])
    .toSorted(newestFirst);
}

function sessionFile(path: string): SessionFile | undefined {
  const name = basename(path);
  const id = name.slice(0, -6);
  if (!name.endsWith(".jsonl") || !isSessionId(id)) return undefined;
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() && stat.size > 0 ? { id, path, modified: stat.mtimeMs } : undefined;
}

const newestFirst = (a: { modified: number; id: string }, b: { modified: number; id: string }) =>
  b.modified - a.modified || (a.id < b.id ? -1 : 1);

function sessionInfo({ id, path, modified }: SessionFile): SessionInfo | undefined {
  const ends = readEnds(path);
  if (ends === undefined) return undefined;
  const { head, tail, size } = ends;
  const lines = head.split("\n");
  if (!isOfSession(lines)) return undefined;

  // Later lines win.
  const newest = new Map<string, Record<string, unknown>>();
  for (const line of [...lines, ...tail.split("\n")]) {
    if (!line.startsWith('{"type":"')) continue;
    const entry = tryParse(line);
    if (isObject(entry)) newest.set(String(entry["type"]), entry);
  }
  const said = (type: string, key: string) => {
    const value = newest.get(type)?.[key];
    return typeof value === "string" && value.trim() !== "" ? value : undefined;
  };
  const customTitle = said("custom-title", "customTitle");
  const lastPrompt = said("last-prompt", "lastPrompt");
  const firstPrompt = firstPromptIn(lines);
  const generated = said("ai-title", "aiTitle");
  const summary = said("summary", "summary");
  const title = customTitle ?? generated ?? lastPrompt ?? summary ?? firstPrompt ?? "";
  // A command says nothing about the rest.
  const [first, command] = firstPrompt?.startsWith("/") ? [undefined, firstPrompt] : [firstPrompt, undefined];
  const topic = customTitle ?? generated ?? summary ?? first ?? lastPrompt ?? command ?? "";
  return {
    id,
    path,
    title,
    topic,
    customTitle,
    firstPrompt,
    lastPrompt,
    tag: said("tag", "tag"),
    cwd: firstField(head, "cwd") ?? firstField(tail, "cwd"),
    gitBranch: lastField(tail, "gitBranch") ?? lastField(head, "gitBranch"),
    entrypoint: firstField(head, "entrypoint") ?? firstField(tail, "entrypoint"),
    worktree: worktreeIn(newest.get("worktree-state")),
    modified,
    size,
  };
}

function isOfSession(lines: readonly string[]): boolean {
  // A member of a team works for another session.
  const first = lines.find(isEntry);
  return !lines[0]!.includes('"isSidechain":true') && first?.includes('"teamName":"') !== true;
}

const isEntry = (line: string) => line.startsWith('{"parentUuid":');

function isSession(path: string): boolean {
  // Whole lines, the first entry among them, answer it.
  const start = readEnds(path, START)?.head.split("\n").slice(0, -1);
  if (start?.some(isEntry)) return isOfSession(start);
  const ends = readEnds(path);
  return ends !== undefined && isOfSession(ends.head.split("\n"));
}

function worktreeIn(state: Record<string, unknown> | undefined): string | undefined {
  const session = state?.["worktreeSession"];
  const name = isObject(session) ? session["worktreeName"] : undefined;
  return typeof name === "string" && name !== "" ? name : undefined;
}

const WINDOW = 64 * 1024;
/** Enough for the first entry of most sessions. */
const START = 8 * 1024;

/** The two ends as text; the tail is empty if the head is the whole file. */
function readEnds(path: string, window = WINDOW): { head: string; tail: string; size: number } | undefined {
  let fd: number | undefined;
  try {
    fd = openOwnFile(path);
    const { size } = fstatSync(fd);
    const bytes = Buffer.allocUnsafe(window);
    const textAt = (offset: number) => bytes.toString("utf8", 0, readSync(fd!, bytes, 0, window, offset));
    const head = textAt(0);
    return { head, tail: size > window ? textAt(Math.max(window, size - window)) : "", size };
  } catch {
    // Gone, unreadable or not a file, so not a session.
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

// Searches the text, because the window may cut the line of a field. Quotes inside JSON strings are escaped, so a match is
// a key; at worst, one of the same name deeper in the line.
const fieldPattern = (key: string) => new RegExp(`"${key}":"((?:[^"\\\\]|\\\\.){0,4096})"`, "g");

function firstField(text: string, key: string): string | undefined {
  return unquote(fieldPattern(key).exec(text)?.[1]);
}

function lastField(text: string, key: string): string | undefined {
  const from = text.lastIndexOf(`"${key}":"`);
  return from < 0 ? undefined : unquote(fieldPattern(key).exec(text.slice(from))?.[1]);
}

function unquote(raw: string | undefined): string | undefined {
  const value = raw === undefined ? undefined : tryParse(`"${raw}"`);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

/** Zero if there is no such file of ours. */
function sizeOf(path: string): number {
  try {
    return ownFileSize(path) ?? 0;
  } catch {
    return 0;
  }
}

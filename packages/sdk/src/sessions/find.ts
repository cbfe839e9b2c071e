// Where the transcripts of this machine are. Looks names up; what is in a transcript others read.

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isSessionId, keyPrefix, projectsDir, transcriptPath } from "@keelson/store";
import { configDirOf, projectKeyOf } from "../stores/key.ts";
import { worktreesOf } from "./worktrees.ts";

/** The folders with the sessions of a directory and of its worktrees; without a directory, of all. */
export function sessionFolders(dir: string | undefined, { includeWorktrees = true } = {}): string[] {
  const root = projectsDir(configDirOf());
  if (dir === undefined) return namesIn(root).map((name) => join(root, name));
  const dirs = [dir, ...(includeWorktrees ? worktreesOf(dir) : [])];
  const keys = dirs.flatMap((each) => alikeIn(root, projectKeyOf(each)));
  return [...new Set(keys)].map((key) => join(root, key));
}

/** The file of a session; undefined for an id nobody has, and for what is no id. */
export function findTranscript(sessionId: string, dir?: string): string | undefined {
  if (!isSessionId(sessionId)) return undefined;
  return sessionFolders(dir)
    .flatMap((folder) => [transcriptPath(folder, sessionId), transcriptPath(folder, sessionId.toLowerCase())])
    .find((path) => existsSync(path) && statSync(path).size > 0);
}

/** As `findTranscript`, for those who cannot go on without. */
export function requireTranscript(sessionId: string, dir?: string): string {
  requireSessionId(sessionId);
  const path = findTranscript(sessionId, dir);
  if (path !== undefined) return path;
  throw new Error(`Session ${sessionId} not found${dir === undefined ? "" : ` in project directory for ${dir}`}`);
}

export function requireSessionId(sessionId: string): void {
  if (!isSessionId(sessionId)) throw new Error(`Invalid sessionId: ${sessionId}`);
}

/** A long directory may also have sessions under a name an older hash made. */
function alikeIn(root: string, key: string): string[] {
  const prefix = keyPrefix(key);
  return prefix === undefined ? [key] : [key, ...namesIn(root).filter((name) => name.startsWith(prefix))];
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

// Finds transcripts on this machine. It only looks up names; other code reads transcripts.

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isSessionId, keyPrefix, projectsDir, transcriptPath } from "@keelson/store";
import { worktreesOf } from "@keelson/store/past";
import { configDirOf, projectKeyOf } from "@keelson/store/remote";

/** The folders with the sessions of a directory and its worktrees; without a directory, all folders. */
export function sessionFolders(dir: string | undefined, { includeWorktrees = true } = {}): string[] {
  const root = projectsDir(configDirOf());
  if (dir === undefined) return namesIn(root).map((name) => join(root, name));
  const dirs = [dir, ...(includeWorktrees ? worktreesOf(dir) : [])];
  const keys = dirs.flatMap((each) => alikeIn(root, projectKeyOf(each)));
  return [...new Set(keys)].map((key) => join(root, key));
}

/** The file of a session; undefined if there is no such session, or the id is invalid. */
export function findTranscript(sessionId: string, dir?: string): string | undefined {
  if (!isSessionId(sessionId)) return undefined;
  return sessionFolders(dir)
    .flatMap((folder) => [transcriptPath(folder, sessionId), transcriptPath(folder, sessionId.toLowerCase())])
    .find((path) => existsSync(path) && statSync(path).size > 0);
}

/** Like `findTranscript`, but throws if it is not found. */
export function requireTranscript(sessionId: string, dir?: string): string {
  requireSessionId(sessionId);
  const path = findTranscript(sessionId, dir);
  if (path !== undefined) return path;
  throw new Error(`Session ${sessionId} not found${dir === undefined ? "" : ` in project directory for ${dir}`}`);
}

export function requireSessionId(sessionId: string): void {
  if (!isSessionId(sessionId)) throw new Error(`Invalid sessionId: ${sessionId}`);
}

/** Sessions of a directory with a long name may also be under a name from an older hash. */
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

// Converts folders and files to store keys. Names only: nothing here reads a transcript.

import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { projectKey } from "../index.ts";
import type { SessionKey } from "./session-store.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The key for the sessions of a folder. */
export function projectKeyOf(dir: string = process.cwd()): string {
  const path = resolve(dir);
  try {
    return projectKey(realpathSync(path));
  } catch {
    // A deleted folder still has its sessions.
    return projectKey(path);
  }
}

/** The program's configuration folder if it is started with these variables. */
export function configDirOf(env: Env = process.env): string {
  const moved = env["CLAUDE_CONFIG_DIR"];
  return moved ? resolve(moved) : join(env["HOME"] || homedir(), ".claude");
}

// Matched from the end, so it does not matter what the folder is called where the program runs.
const TRANSCRIPT = /(?:^|\/)projects\/([^/]+)\/([^/]+?)(?:\/([^/].*))?\.jsonl$/;

/** The folder `projects` may be a link of the user's to one with another name. */
const ELSEWHERE = /\/([^/]+)\/([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})(?:\/([^/].*))?\.jsonl$/i;

/** The key of a transcript file; undefined if the path is not one. */
export function keyOfFile(path: string): SessionKey | undefined {
  const slashed = path.replaceAll("\\", "/");
  const [, project, sessionId, subpath] =
    TRANSCRIPT.exec(slashed.slice(slashed.lastIndexOf("/projects/"))) ?? ELSEWHERE.exec(slashed) ?? [];
  if (project === undefined || sessionId === undefined) return undefined;
  return { projectKey: project, sessionId, ...(subpath === undefined ? {} : { subpath }) };
}

/** A subpath becomes a file name when a session is written to disk, so it must not lead anywhere else. */
export function isSafeSubpath(subpath: string): boolean {
  return subpath.split("/").every((part) => /^[^\\\0:]+$/.test(part) && !/^\.*$/.test(part));
}

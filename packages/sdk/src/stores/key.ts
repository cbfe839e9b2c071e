// From folders and files to the keys of a store. Names only: nothing here reads a transcript.

import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { projectKey } from "@keelson/store";
import type { SessionKey } from "./session-store.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The key under which the sessions of a folder are kept. */
export function projectKeyOf(dir: string = process.cwd()): string {
  const path = resolve(dir);
  try {
    return projectKey(realpathSync(path));
  } catch {
    // A folder that is gone still has its sessions.
    return projectKey(path);
  }
}

/** Where the program keeps its files when it is started with these variables. */
export function configDirOf(env: Env = process.env): string {
  const moved = env["CLAUDE_CONFIG_DIR"];
  return moved ? resolve(moved) : join(env["HOME"] || homedir(), ".claude");
}

// Seen from the end, so that it does not matter under which name, or on which machine, the program sees the folder.
const TRANSCRIPT = /(?:^|\/)projects\/([^/]+)\/([^/]+?)(?:\/([^/].*))?\.jsonl$/;

/** The key of a transcript file; undefined when the path is none. */
export function keyOfFile(path: string): SessionKey | undefined {
  const slashed = path.replaceAll("\\", "/");
  const [, project, sessionId, subpath] = TRANSCRIPT.exec(slashed.slice(slashed.lastIndexOf("/projects/"))) ?? [];
  if (project === undefined || sessionId === undefined) return undefined;
  return { projectKey: project, sessionId, ...(subpath === undefined ? {} : { subpath }) };
}

/** A subpath becomes a file name when a session is written to disk again, so it must not lead anywhere else. */
export function isSafeSubpath(subpath: string): boolean {
  return subpath.split("/").every((part) => /^[^\\\0:]+$/.test(part) && !/^\.*$/.test(part));
}

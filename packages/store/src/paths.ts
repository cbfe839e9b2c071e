// The paths of a session's files. Reads and writes nothing but the links of the folder they are in.

import { join } from "node:path";
import { realPathOf } from "@keelson/disk/real-path";

const LONGEST_KEY = 200;

export interface SessionLocation {
  readonly configDir: string;
  /** With links resolved, so a folder has only one name. */
  readonly cwd: string;
  /** From `CLAUDE_CODE_PROJECT_DIR_NAME`. */
  readonly dirName?: string | undefined;
}

/** The folder name for a working directory. Directories may share one; entries hold the real `cwd`. */
export function projectKey(cwd: string): string {
  const path = cwd.normalize("NFC");
  const key = path.replace(/[^a-zA-Z0-9]/g, "-");
  return key.length <= LONGEST_KEY ? key : `${key.slice(0, LONGEST_KEY)}-${hash(path)}`;
}

/** The common start of all names of a long directory; older versions used another hash after it. */
export function keyPrefix(key: string): string | undefined {
  return key.length > LONGEST_KEY ? `${key.slice(0, LONGEST_KEY)}-` : undefined;
}

/** With links resolved: the user may keep this folder elsewhere. Below it, no link is followed. */
export function projectsDir(configDir: string): string {
  return realPathOf(join(configDir.normalize("NFC"), "projects"));
}

export function projectDir({ configDir, cwd, dirName }: SessionLocation): string {
  const name = dirName === undefined ? "" : dirName.replace(/[^a-zA-Z0-9._-]/g, "-").slice(0, LONGEST_KEY);
  return join(projectsDir(configDir), /^\.*$/.test(name) ? projectKey(cwd) : name);
}

export function transcriptPath(dir: string, sessionId: string): string {
  return join(dir, `${sessionId}.jsonl`);
}

/** The file beside a transcript that names the process which has the session open. */
export function ownerPath(transcript: string): string {
  return transcript.replace(/\.jsonl$/, ".owner");
}

/** The folder beside a transcript, for other files of the session. */
export function sessionDir(dir: string, sessionId: string): string {
  return join(dir, sessionId);
}

export function toolResultsDir(dir: string, sessionId: string): string {
  return join(sessionDir(dir, sessionId), "tool-results");
}

/** Where background tasks write their output, in the folder for our own temporary files. */
export function tasksDir(temporary: string, key: string, sessionId: string): string {
  return join(temporary, key, sessionId, "tasks");
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isSessionId(text: string): boolean {
  return UUID.test(text);
}

/** The same hash as in the reference: 32-bit arithmetic over UTF-16 units, absolute, base 36. */
function hash(text: string): string {
  let value = 0;
  for (let index = 0; index < text.length; index++) value = (Math.imul(value, 31) + text.charCodeAt(index)) | 0;
  return Math.abs(value).toString(36);
}

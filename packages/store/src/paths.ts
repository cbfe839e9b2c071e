// Where a session's files live. Names only: nothing here reads or writes.

import { join } from "node:path";

const LONGEST_KEY = 200;

export interface SessionLocation {
  readonly configDir: string;
  /** Already resolved: links in it would give the same folder two names. */
  readonly cwd: string;
  /** `CLAUDE_CODE_PROJECT_DIR_NAME`: a folder name chosen from outside. */
  readonly dirName?: string | undefined;
}

/** The folder name that stands for a working directory. Several directories may share one; entries carry the true `cwd`. */
export function projectKey(cwd: string): string {
  const path = cwd.normalize("NFC");
  const key = path.replace(/[^a-zA-Z0-9]/g, "-");
  return key.length <= LONGEST_KEY ? key : `${key.slice(0, LONGEST_KEY)}-${hash(path)}`;
}

/** What all names of one long directory start with: older writers used another hash after it. */
export function keyPrefix(key: string): string | undefined {
  return key.length > LONGEST_KEY ? `${key.slice(0, LONGEST_KEY)}-` : undefined;
}

export function projectsDir(configDir: string): string {
  return join(configDir.normalize("NFC"), "projects");
}

export function projectDir({ configDir, cwd, dirName }: SessionLocation): string {
  const name = dirName === undefined ? "" : dirName.replace(/[^a-zA-Z0-9._-]/g, "-").slice(0, LONGEST_KEY);
  return join(projectsDir(configDir), /^\.*$/.test(name) ? projectKey(cwd) : name);
}

export function transcriptPath(dir: string, sessionId: string): string {
  return join(dir, `${sessionId}.jsonl`);
}

/** The folder beside a transcript, for what belongs to the session but not into the file. */
export function sessionDir(dir: string, sessionId: string): string {
  return join(dir, sessionId);
}

export function toolResultsDir(dir: string, sessionId: string): string {
  return join(sessionDir(dir, sessionId), "tool-results");
}

export function subagentPath(dir: string, sessionId: string, agentId: string): string {
  return join(sessionDir(dir, sessionId), "subagents", `agent-${agentId}.jsonl`);
}

/** Where background tasks write their live output. */
export function tasksDir(tmp: string, uid: number, key: string, sessionId: string): string {
  return join(tmp, `claude-${uid}`, key, sessionId, "tasks");
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isSessionId(text: string): boolean {
  return UUID.test(text);
}

/** The reference's own hash (observed): 32-bit arithmetic over UTF-16 units, absolute, base 36. */
function hash(text: string): string {
  let value = 0;
  for (let index = 0; index < text.length; index++) value = (Math.imul(value, 31) + text.charCodeAt(index)) | 0;
  return Math.abs(value).toString(36);
}

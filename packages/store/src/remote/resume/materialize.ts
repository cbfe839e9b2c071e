// Writes a session from a store to a temporary folder, laid out like the program's own, so the program can continue it.
// The user's settings, instructions and credentials are included; their sessions are not.

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isObject, tryParse, type Entry } from "@keelson/protocol";
import { isSessionId, lineOf, STICKY } from "../../index.ts";
import { withStoreTimeout } from "../append.ts";
import { catchUp, claimFolder, resumeRoot, RESUME_PREFIX } from "./catch-up.ts";
import { configDirOf, isSafeSubpath, projectKeyOf } from "../key.ts";
import type { SessionStore, SessionStoreEntry } from "../session-store.ts";
import { inTimeOrder } from "./time-order.ts";
import { sidecarOf } from "../transcript-file.ts";

export interface MaterializeOptions {
  readonly store: SessionStore;
  readonly cwd: string;
  /** The environment the program will be started with, which shows where the user's own files are. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A session id, or the newest session of the folder. */
  readonly resume: string | { readonly newest: true };
  readonly loadTimeoutMs: number;
}

export interface MaterializedSession {
  readonly sessionId: string;
  readonly configDir: string;
  remove(): Promise<void>;
}

/** Undefined if the store has no such session: the program then looks for a local one. Throws if the store fails. */
export async function materialize(options: MaterializeOptions): Promise<MaterializedSession | undefined> {
  const { store, loadTimeoutMs } = options;
  const projectKey = projectKeyOf(options.cwd);
  const found = await sessionToResume(options, projectKey);
  const bringUpToDate = (sessionId: string, entries: readonly SessionStoreEntry[]) =>
    catchUp({ store, key: { projectKey, sessionId }, entries, env: options.env, timeoutMs: loadTimeoutMs });
  if (found === undefined) {
    // A local session: what it has written must be in the store before what it writes next.
    if (typeof options.resume === "string" && isSessionId(options.resume)) await bringUpToDate(options.resume, []);
    return undefined;
  }
  const { sessionId } = found;
  const entries = await bringUpToDate(sessionId, found.entries);

  const configDir = mkdtempSync(join(resumeRoot(options.env) ?? realpathSync(tmpdir()), RESUME_PREFIX));
  const remove = () => rm(configDir, { recursive: true, force: true, maxRetries: 4 });
  try {
    claimFolder(configDir);
    const project = join(configDir, "projects", projectKey);
    writeTranscript(join(project, `${sessionId}.jsonl`), entries);
    const ask = `SessionStore.listSubkeys() for session ${sessionId}`;
    const subpaths =
      (await withStoreTimeout(loadTimeoutMs, ask, async () => store.listSubkeys?.({ projectKey, sessionId }))) ?? [];
    for (const subpath of subpaths.filter(isSafeSubpath)) {
      const what = `SessionStore.load() for session ${sessionId}, ${subpath}`;
      const loaded = await withStoreTimeout(loadTimeoutMs, what, () => store.load({ projectKey, sessionId, subpath }));
      if (loaded !== null) writeSubagent(join(project, sessionId, `${subpath}.jsonl`), loaded);
    }
    bringAlong(configDir, options.env, projectKey);
  } catch (error) {
    await remove();
    throw error;
  }
  return { sessionId, configDir, remove };
}

async function sessionToResume(
  { store, resume, loadTimeoutMs }: MaterializeOptions,
  projectKey: string,
): Promise<{ sessionId: string; entries: SessionStoreEntry[] } | undefined> {
  const candidates = typeof resume === "string" ? [resume] : await newestFirst(store, projectKey, loadTimeoutMs);
  for (const sessionId of candidates) {
    // It becomes a file name.
    if (!isSessionId(sessionId)) continue;
    const what = `SessionStore.load() for session ${sessionId}`;
    const entries = await withStoreTimeout(loadTimeoutMs, what, () => store.load({ projectKey, sessionId }));
    if (entries === null || entries.length === 0) continue;
    // Some stores list a subagent's transcript as a session.
    if (typeof resume !== "string" && entries[0]!["isSidechain"] === true) continue;
    return { sessionId, entries };
  }
  return undefined;
}

async function newestFirst(store: SessionStore, projectKey: string, timeoutMs: number): Promise<string[]> {
  if (store.listSessions === undefined) {
    throw new Error("To continue the newest session, the session store must have listSessions()");
  }
  const sessions = await withStoreTimeout(timeoutMs, "SessionStore.listSessions()", () =>
    store.listSessions!(projectKey),
  );
  return sessions.toSorted((a, b) => b.mtime - a.mtime).map(({ sessionId }) => sessionId);
}

function writeTranscript(path: string, entries: readonly SessionStoreEntry[]): void {
  const lines: string[] = [];
  // Session lists only read the beginning and the end of a file.
  const newest = new Map<string, string>();
  for (const entry of inTimeOrder(entries)) {
    const line = lineOf(entry as Entry);
    lines.push(line);
    if (STICKY.has(entry.type)) newest.set(entry.type, line);
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, [...lines, ...newest.values(), ""].join("\n"), { mode: 0o600 });
}

function writeSubagent(path: string, entries: readonly SessionStoreEntry[]): void {
  const lines = entries.filter(({ type }) => type !== "agent_metadata");
  if (lines.length > 0) writeTranscript(path, lines);
  const metadata = entries.findLast(({ type }) => type === "agent_metadata");
  if (metadata === undefined) return;
  const { type: _, ...sidecar } = metadata;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(sidecarOf(path), JSON.stringify(sidecar), { mode: 0o600 });
}

const FILES = ["settings.json", "CLAUDE.md", "AGENTS.md", "keybindings.json"];
const FOLDERS = ["agents", "commands", "skills", "rules", "output-styles", "plugins", "hooks", "themes"];

/** Without these, the resumed session would run under different rules. */
function bringAlong(configDir: string, env: MaterializeOptions["env"], projectKey: string): void {
  const own = configDirOf(env);
  const copy = (from: string, name: string) => existsSync(from) && copyFileSync(from, join(configDir, name));
  const link = (from: string, to: string) => existsSync(from) && symlinkSync(from, to, "junction");
  for (const name of FILES) copy(join(own, name), name);
  // Next to the folder, or inside it if CLAUDE_CONFIG_DIR is set.
  copy(env["CLAUDE_CONFIG_DIR"] ? join(own, ".claude.json") : `${own}.json`, ".claude.json");
  for (const name of FOLDERS) link(join(own, name), join(configDir, name));
  link(join(own, "projects", projectKey, "memory"), join(configDir, "projects", projectKey, "memory"));
  copyCredentials(join(own, ".credentials.json"), join(configDir, ".credentials.json"));
}

/**
 * Without the refresh token: it works once, and the new tokens would be written to a folder that is about to be
 * removed, which would sign the user out everywhere else.
 */
function copyCredentials(from: string, to: string): void {
  if (!existsSync(from)) return;
  const credentials = tryParse(readFileSync(from, "utf8"));
  if (!isObject(credentials)) return;
  const { claudeAiOauth: oauth } = credentials;
  if (isObject(oauth)) credentials["claudeAiOauth"] = { ...oauth, refreshToken: undefined };
  writeFileSync(to, JSON.stringify(credentials), { mode: 0o600 });
}

// A session of a store as files again, in a temporary folder laid out like the program's own, so that the program can
// go on with it. The user's settings, instructions and sign-in come along; their sessions do not.

import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isObject, tryParse, type Entry } from "@keelson/protocol";
import { isSessionId, lineOf, STICKY } from "@keelson/store";
import { withinTime } from "./append.ts";
import { catchUp, claim, RESUME_PREFIX } from "./catch-up.ts";
import { configDirOf, isSafeSubpath, projectKeyOf } from "./key.ts";
import type { SessionStore, SessionStoreEntry } from "./session-store.ts";
import { inTimeOrder } from "./time-order.ts";
import { sidecarOf } from "./transcript-file.ts";

export interface MaterialiseOptions {
  readonly store: SessionStore;
  readonly cwd: string;
  /** What the program will be started with; tells where the user's own files are. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A session's id, or the newest of the folder. */
  readonly resume: string | { readonly newest: true };
  readonly loadTimeoutMs: number;
}

export interface Materialised {
  readonly sessionId: string;
  readonly configDir: string;
  remove(): Promise<void>;
}

/** Undefined when the store has no such session: then the program looks among the local ones. Throws when it fails. */
export async function materialise(options: MaterialiseOptions): Promise<Materialised | undefined> {
  const { store, loadTimeoutMs } = options;
  const projectKey = projectKeyOf(options.cwd);
  const found = await sessionToResume(options, projectKey);
  const bringUpToDate = (sessionId: string, entries: readonly SessionStoreEntry[]) =>
    catchUp({ store, key: { projectKey, sessionId }, entries, env: options.env, timeoutMs: loadTimeoutMs });
  if (found === undefined) {
    // A local session: what it wrote until now has to be in the store before what it writes next.
    if (typeof options.resume === "string" && isSessionId(options.resume)) await bringUpToDate(options.resume, []);
    return undefined;
  }
  const { sessionId } = found;
  const entries = await bringUpToDate(sessionId, found.entries);

  const configDir = mkdtempSync(join(tmpdir(), RESUME_PREFIX));
  const remove = () => rm(configDir, { recursive: true, force: true, maxRetries: 4 });
  try {
    claim(configDir);
    const project = join(configDir, "projects", projectKey);
    writeTranscript(join(project, `${sessionId}.jsonl`), entries);
    const ask = `SessionStore.listSubkeys() for session ${sessionId}`;
    const subpaths =
      (await withinTime(loadTimeoutMs, ask, async () => store.listSubkeys?.({ projectKey, sessionId }))) ?? [];
    for (const subpath of subpaths.filter(isSafeSubpath)) {
      const what = `SessionStore.load() for session ${sessionId}, ${subpath}`;
      const loaded = await withinTime(loadTimeoutMs, what, () => store.load({ projectKey, sessionId, subpath }));
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
  { store, resume, loadTimeoutMs }: MaterialiseOptions,
  projectKey: string,
): Promise<{ sessionId: string; entries: SessionStoreEntry[] } | undefined> {
  const candidates = typeof resume === "string" ? [resume] : await newestFirst(store, projectKey, loadTimeoutMs);
  for (const sessionId of candidates) {
    // It becomes a file name.
    if (!isSessionId(sessionId)) continue;
    const what = `SessionStore.load() for session ${sessionId}`;
    const entries = await withinTime(loadTimeoutMs, what, () => store.load({ projectKey, sessionId }));
    if (entries === null || entries.length === 0) continue;
    // Some stores list what a subagent wrote as a session.
    if (typeof resume !== "string" && entries[0]!["isSidechain"] === true) continue;
    return { sessionId, entries };
  }
  return undefined;
}

async function newestFirst(store: SessionStore, projectKey: string, timeoutMs: number): Promise<string[]> {
  if (store.listSessions === undefined) {
    throw new Error("To continue the newest session, the session store must have listSessions()");
  }
  const sessions = await withinTime(timeoutMs, "SessionStore.listSessions()", () => store.listSessions!(projectKey));
  return sessions.toSorted((a, b) => b.mtime - a.mtime).map(({ sessionId }) => sessionId);
}

function writeTranscript(path: string, entries: readonly SessionStoreEntry[]): void {
  const lines: string[] = [];
  // Lists look at the two ends of a file only.
  const newest = new Map<string, string>();
  for (const entry of inTimeOrder(entries)) {
    const line = lineOf(entry as unknown as Entry);
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

/** Without them the resumed session would run under other rules than the one before. */
function bringAlong(configDir: string, env: MaterialiseOptions["env"], projectKey: string): void {
  const own = configDirOf(env);
  const copy = (from: string, name: string) => existsSync(from) && copyFileSync(from, join(configDir, name));
  const link = (from: string, to: string) => existsSync(from) && symlinkSync(from, to, "junction");
  for (const name of FILES) copy(join(own, name), name);
  // Beside the folder, unless somebody moved the folder: then inside.
  copy(env["CLAUDE_CONFIG_DIR"] ? join(own, ".claude.json") : `${own}.json`, ".claude.json");
  for (const name of FOLDERS) link(join(own, name), join(configDir, name));
  link(join(own, "projects", projectKey, "memory"), join(configDir, "projects", projectKey, "memory"));
  copyCredentials(join(own, ".credentials.json"), join(configDir, ".credentials.json"));
}

/**
 * Without the token that renews them: it works once, and the new ones would be written into a folder that is about to
 * be removed, which would sign the user out everywhere else.
 */
function copyCredentials(from: string, to: string): void {
  if (!existsSync(from)) return;
  const credentials = tryParse(readFileSync(from, "utf8"));
  if (!isObject(credentials)) return;
  const { claudeAiOauth: oauth } = credentials;
  if (isObject(oauth)) credentials["claudeAiOauth"] = { ...oauth, refreshToken: undefined };
  writeFileSync(to, JSON.stringify(credentials), { mode: 0o600 });
}

// Lists sessions from this machine or from a store.

import { join } from "node:path";
import { isObject, tryParse } from "@keelson/protocol";
import { isSessionId } from "@keelson/store";
import { listStoredSessions as listLocal, readOwnFile, sessionAt, type SessionInfo } from "@keelson/store/past";
import { foldSessionSummary, projectKeyOf, type SessionStore, type SessionSummaryEntry } from "@keelson/store/remote";
import { findTranscript, sessionFolders } from "./find.ts";

export type SDKSessionInfo = {
  sessionId: string;
  /** What to show: a chosen title, else a generated one, else the prompt. */
  summary: string;
  /** Milliseconds since 1970, like `createdAt`. */
  lastModified: number;
  fileSize?: number;
  customTitle?: string;
  firstPrompt?: string;
  gitBranch?: string;
  cwd?: string;
  tag?: string;
  createdAt?: number;
  archived?: boolean;
};

export type ListSessionsOptions = {
  /** The sessions of this directory. By default, all on this machine, or those of the current directory in a store. */
  dir?: string;
  limit?: number;
  offset?: number;
  /** Include sessions of the repository's other worktrees. Only for sessions on this machine. */
  includeWorktrees?: boolean;
  /** Include sessions that an application started. */
  includeProgrammatic?: boolean;
  sessionStore?: SessionStore;
};

export type GetSessionInfoOptions = { dir?: string; sessionStore?: SessionStore };

/** Newest first. */
export async function listSessions(options: ListSessionsOptions = {}): Promise<SDKSessionInfo[]> {
  const { dir, limit = Number.POSITIVE_INFINITY, offset = 0, includeProgrammatic = true, sessionStore } = options;
  const isWanted = (entrypoint: unknown) => includeProgrammatic || !String(entrypoint ?? "").startsWith("sdk-");
  const page = <T>(all: readonly T[]) => all.slice(offset, offset + limit);
  if (sessionStore !== undefined) {
    const summaries = await summariesOf(sessionStore, projectKeyOf(dir));
    const wanted = summaries
      .filter(({ data }) => isWanted(data["entrypoint"]))
      .flatMap((each) => infoOfSummary(each) ?? []);
    return page(wanted.toSorted((a, b) => b.lastModified - a.lastModified));
  }
  const isShown = ({ entrypoint, title }: SessionInfo) => title !== "" && isWanted(entrypoint);
  const sessions = sessionFolders(dir, options).flatMap((folder) => newestIn(folder, offset + limit, isShown));
  return page(sessions.toSorted((a, b) => b.modified - a.modified)).map(infoOfFile);
}

/** Reads no more files than a page needs, unless many of them are hidden. */
function newestIn(folder: string, most: number, isShown: (session: SessionInfo) => boolean): SessionInfo[] {
  for (let limit = most; ; limit *= 4) {
    const read = listLocal(folder, { limit });
    const shown = read.filter(isShown);
    if (shown.length >= most || read.length < limit) return shown;
  }
}

/** Undefined if there is no such session, or the id is invalid. */
export async function getSessionInfo(
  sessionId: string,
  { dir, sessionStore }: GetSessionInfoOptions = {},
): Promise<SDKSessionInfo | undefined> {
  if (!isSessionId(sessionId)) return undefined;
  if (sessionStore !== undefined) {
    const key = { projectKey: projectKeyOf(dir), sessionId };
    const entries = await sessionStore.load(key);
    if (entries === null) return undefined;
    const listed = (await sessionStore.listSessions?.(key.projectKey))?.find((each) => each.sessionId === sessionId);
    const newest = entries.findLast(({ timestamp }) => typeof timestamp === "string")?.timestamp;
    const mtime = listed?.mtime ?? (newest === undefined ? 0 : Date.parse(newest) || 0);
    return infoOfSummary(foldSessionSummary(undefined, key, entries, { mtime }));
  }
  const path = findTranscript(sessionId, dir);
  const info = path === undefined ? undefined : sessionAt(path);
  return info === undefined || info.title === "" ? undefined : infoOfFile(info);
}

/** The store's summaries; if one is missing or older than its session, it is computed from the entries. */
async function summariesOf(store: SessionStore, projectKey: string): Promise<SessionSummaryEntry[]> {
  if (store.listSessions === undefined && store.listSessionSummaries === undefined) {
    throw new Error("To list sessions, the session store must have listSessions() or listSessionSummaries()");
  }
  const kept = new Map<string, SessionSummaryEntry>();
  for (const summary of (await store.listSessionSummaries?.(projectKey)) ?? []) kept.set(summary.sessionId, summary);
  const behind = ((await store.listSessions?.(projectKey)) ?? []).filter(
    ({ sessionId, mtime }) => (kept.get(sessionId)?.mtime ?? 0) < mtime,
  );
  await eachOf(behind, AT_ONCE, async ({ sessionId, mtime }) => {
    const key = { projectKey, sessionId };
    const entries = await store.load(key);
    if (entries !== null) kept.set(sessionId, foldSessionSummary(undefined, key, entries, { mtime }));
  });
  return [...kept.values()];
}

const AT_ONCE = 8;

async function eachOf<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}

/** Undefined for a subagent's transcript, and if there is nothing to show. */
function infoOfSummary({ sessionId, mtime, data }: SessionSummaryEntry): SDKSessionInfo | undefined {
  const text = (name: string) => (typeof data[name] === "string" && data[name] !== "" ? data[name] : undefined);
  const { customTitle, firstPrompt } = { customTitle: text("customTitle"), firstPrompt: text("firstPrompt") };
  const summary = customTitle ?? text("aiTitle") ?? text("lastPrompt") ?? text("summaryHint") ?? firstPrompt;
  if (summary === undefined || data["isSidechain"] === true) return undefined;
  const createdAt = typeof data["createdAt"] === "number" ? data["createdAt"] : undefined;
  return known({
    sessionId,
    summary,
    lastModified: mtime,
    customTitle,
    firstPrompt,
    gitBranch: text("gitBranch"),
    cwd: text("cwd"),
    tag: text("tag"),
    createdAt,
  });
}

function infoOfFile(session: SessionInfo): SDKSessionInfo {
  const { id, path, title, modified, size, customTitle, firstPrompt, gitBranch, cwd, tag } = session;
  return known({
    sessionId: id,
    summary: title,
    lastModified: Math.round(modified),
    fileSize: size,
    customTitle,
    firstPrompt,
    gitBranch,
    cwd,
    tag,
    createdAt: createdAt(path),
    archived: isArchived(path),
  });
}

/** Removes fields without a value. */
function known(info: { [Name in keyof SDKSessionInfo]: SDKSessionInfo[Name] | undefined }): SDKSessionInfo {
  return Object.fromEntries(Object.entries(info).filter(([, value]) => value !== undefined)) as SDKSessionInfo;
}

const HEAD = 8 * 1024;

function createdAt(path: string): number | undefined {
  try {
    const head = readOwnFile(path, HEAD)?.toString() ?? "";
    const time = Date.parse(/"timestamp":"([^"\\]{10,40})"/.exec(head)?.[1] ?? "");
    return Number.isNaN(time) ? undefined : time;
  } catch {
    // Replaced since it was listed.
    return undefined;
  }
}

const MOST_NOTE = 64 * 1024;

function isArchived(path: string): true | undefined {
  try {
    const note = tryParse(
      readOwnFile(join(path.slice(0, -".jsonl".length), "archived.json"), MOST_NOTE)?.toString() ?? "",
    );
    return isObject(note) && note["archived"] === true ? true : undefined;
  } catch {
    return undefined;
  }
}

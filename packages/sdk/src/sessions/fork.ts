// Creates a second session with the conversation of a first. Unlike the program's own fork, every entry gets a new uuid
// and records where it came from, so the two can be compared.

import { randomUUID } from "node:crypto";
import { closeSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { isChainEntry, isObject, type Entry } from "@keelson/protocol";
import { isSessionId, lineOf, transcriptPath } from "@keelson/store";
import { createOwnFile, readEntries, removeOwnFile } from "@keelson/store/past";
import {
  foldSessionSummary,
  inBatches,
  inTimeOrder,
  projectKeyOf,
  type SessionStoreEntry,
} from "@keelson/store/remote";
import type { SessionMutationOptions } from "./change.ts";
import { requireSessionId, requireTranscript } from "./find.ts";

export type ForkSessionOptions = SessionMutationOptions & {
  /** The last message to copy. */
  upToMessageId?: string;
  /** By default, the old name with " (fork)". */
  title?: string;
};
export type ForkSessionResult = { sessionId: string };

/** Throws if there is nothing to fork, or no such message. */
export async function forkSession(sessionId: string, options: ForkSessionOptions = {}): Promise<ForkSessionResult> {
  const { dir, sessionStore, upToMessageId, title } = options;
  requireSessionId(sessionId);
  if (upToMessageId !== undefined && !isSessionId(upToMessageId)) {
    throw new Error(`Invalid upToMessageId: ${upToMessageId}`);
  }
  const fork = { sessionId: randomUUID() as string };
  const from = { sessionId, upToMessageId, title, to: fork.sessionId };
  if (sessionStore !== undefined) {
    const projectKey = projectKeyOf(dir);
    const entries = await sessionStore.load({ projectKey, sessionId });
    if (entries === null) throw new Error(`Session ${sessionId} not found`);
    const forked = forkedEntries(inTimeOrder(entries), from);
    for (const batch of inBatches(forked)) await sessionStore.append({ projectKey, ...fork }, batch);
    return fork;
  }
  const path = requireTranscript(sessionId, dir);
  const entries = [...readEntries(path)] as SessionStoreEntry[];
  writeNew(transcriptPath(dirname(path), fork.sessionId), forkedEntries(entries, from));
  return fork;
}

interface From {
  readonly sessionId: string;
  readonly to: string;
  readonly upToMessageId: string | undefined;
  readonly title: string | undefined;
}

/** Fields that refer to other parts of the original session. */
const LEFT_BEHIND = ["teamName", "agentName", "slug", "sourceToolAssistantUUID"];

function forkedEntries(entries: readonly SessionStoreEntry[], from: From): SessionStoreEntry[] {
  const all = entries.filter((entry) => isChainEntry(entry) && entry["isSidechain"] !== true);
  const last =
    from.upToMessageId === undefined ? all.length - 1 : all.findIndex(({ uuid }) => uuid === from.upToMessageId);
  if (last < 0 && all.length > 0)
    throw new Error(`Message ${from.upToMessageId} not found in session ${from.sessionId}`);
  const taken = all.slice(0, last + 1);
  const copied = taken.filter(({ type }) => type !== "progress");
  if (copied.length === 0) throw new Error(`Session ${from.sessionId} has no messages to fork`);

  const byUuid = new Map(taken.map((entry) => [entry.uuid, entry]));
  const renamed = new Map(copied.map(({ uuid }) => [uuid as unknown, randomUUID() as string]));
  const now = new Date().toISOString();
  const forked = copied.map((entry, index): SessionStoreEntry => {
    const { logicalParentUuid, compactMetadata, ...rest } = entry;
    for (const field of LEFT_BEHIND) delete rest[field];
    return {
      ...rest,
      type: entry.type,
      parentUuid: parentOf(entry),
      ...(typeof logicalParentUuid === "string" ? { logicalParentUuid: renamed.get(logicalParentUuid) ?? null } : {}),
      ...(compactMetadata === undefined ? {} : { compactMetadata: withNames(compactMetadata, renamed) }),
      uuid: renamed.get(entry.uuid)!,
      sessionId: from.to,
      isSidechain: false,
      // A session is resumed at its newest entry.
      timestamp: index === copied.length - 1 ? now : (entry.timestamp ?? now),
      forkedFrom: { sessionId: from.sessionId, messageUuid: entry.uuid },
    };
  });
  return [...forked, ...replacements(entries, from, now), titleOf(entries, from, now)];

  /** Progress entries were part of the chain but are not copied: their child is linked to their parent. */
  function parentOf(entry: SessionStoreEntry): string | null {
    let parent = entry["parentUuid"];
    for (let steps = taken.length; steps > 0 && parent !== null; steps--) {
      const known = renamed.get(parent);
      if (known !== undefined) return known;
      parent = byUuid.get(parent as string)?.["parentUuid"] ?? null;
    }
    return null;
  }
}

/** Replaces message ids in compaction metadata with the new ones. */
function withNames(value: unknown, renamed: ReadonlyMap<unknown, string>): unknown {
  if (typeof value === "string") return renamed.get(value) ?? value;
  if (Array.isArray(value)) return value.map((item) => withNames(item, renamed));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withNames(item, renamed)]));
}

function replacements(entries: readonly SessionStoreEntry[], { to }: From, now: string): SessionStoreEntry[] {
  const found = entries.flatMap((entry) =>
    entry.type === "content-replacement" && Array.isArray(entry["replacements"]) ? entry["replacements"] : [],
  );
  if (found.length === 0) return [];
  return [{ type: "content-replacement", sessionId: to, replacements: found, uuid: randomUUID(), timestamp: now }];
}

function titleOf(
  entries: readonly SessionStoreEntry[],
  { sessionId, to, title }: From,
  now: string,
): SessionStoreEntry {
  const { data } = foldSessionSummary(undefined, { projectKey: "", sessionId }, [...entries]);
  const old = data["customTitle"] ?? data["aiTitle"] ?? data["firstPrompt"] ?? "Forked session";
  const customTitle = title?.trim() || `${String(old)} (fork)`;
  return { type: "custom-title", sessionId: to, customTitle, uuid: randomUUID(), timestamp: now };
}

function writeNew(path: string, entries: readonly SessionStoreEntry[]): void {
  const fd = createOwnFile(path);
  try {
    for (const batch of inBatches(entries)) {
      const bytes = Buffer.from(batch.map((entry) => `${lineOf(entry as Entry)}\n`).join(""));
      for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done);
    }
    closeSync(fd);
  } catch (error) {
    closeSync(fd);
    removeOwnFile(path);
    throw error;
  }
}

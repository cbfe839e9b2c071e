// The conversations of sessions, from this machine or from a store: the active branch, oldest first, since the last
// compaction.

import { readdirSync } from "node:fs";
import { isChainEntry, type ChainEntry } from "@keelson/protocol";
import { isSessionId } from "@keelson/store";
import { linkOf, liveChain, loadSession } from "@keelson/store/past";
import {
  inTimeOrder,
  projectKeyOf,
  readSidecar,
  type SessionStore,
  type SessionStoreEntry,
} from "@keelson/store/remote";
import { findTranscript } from "./find.ts";

export type SessionMessage = {
  type: "user" | "assistant" | "system";
  uuid: string;
  session_id: string;
  /** In the model API's shape; for a system message, its fields. */
  message: unknown;
  /** The call that started the subagent. */
  parent_tool_use_id: string | null;
  /** The subagent that started this one. */
  parent_agent_id: string | null;
  timestamp?: string;
};

export type GetSessionMessagesOptions = {
  dir?: string;
  limit?: number;
  offset?: number;
  includeSystemMessages?: boolean;
  sessionStore?: SessionStore;
};
export type ListSubagentsOptions = { dir?: string; sessionStore?: SessionStore };
export type GetSubagentMessagesOptions = { dir?: string; limit?: number; offset?: number; sessionStore?: SessionStore };

/** Empty if there is no such session, or the id is invalid. */
export async function getSessionMessages(
  sessionId: string,
  options: GetSessionMessagesOptions = {},
): Promise<SessionMessage[]> {
  const { dir, sessionStore, includeSystemMessages = false } = options;
  if (!isSessionId(sessionId)) return [];
  const shown = new Set(["user", "assistant", ...(includeSystemMessages ? ["system"] : [])]);
  const isShown = (entry: ChainEntry) => shown.has(entry.type) && entry.isMeta !== true && entry.isSidechain !== true;
  if (sessionStore !== undefined) {
    const entries = (await sessionStore.load({ projectKey: projectKeyOf(dir), sessionId })) ?? [];
    return page(conversationIn(entries).filter(isShown), options).map((entry) => messageOf(entry));
  }
  const path = findTranscript(sessionId, dir);
  const entries = path === undefined ? [] : (loadSession({ path })?.entries ?? []);
  return page(entries.filter(isShown), options).map((entry) => messageOf(entry));
}

/** The ids of the subagents that a session started. */
export async function listSubagents(
  sessionId: string,
  { dir, sessionStore }: ListSubagentsOptions = {},
): Promise<string[]> {
  if (!isSessionId(sessionId)) return [];
  const subpaths = await subpathsOf(sessionId, dir, sessionStore);
  return [...new Set(subpaths.flatMap((subpath) => agentIdOf(subpath) ?? []))];
}

export async function getSubagentMessages(
  sessionId: string,
  agentId: string,
  options: GetSubagentMessagesOptions = {},
): Promise<SessionMessage[]> {
  const { dir, sessionStore } = options;
  if (!isSessionId(sessionId)) return [];
  // A store that cannot list its subpaths may still have the usual one for a subagent.
  const subpaths =
    sessionStore !== undefined && sessionStore.listSubkeys === undefined
      ? [`subagents/agent-${agentId}`]
      : await subpathsOf(sessionId, dir, sessionStore);
  const subpath = subpaths.find((each) => agentIdOf(each) === agentId);
  if (subpath === undefined) return [];
  const isShown = (entry: ChainEntry) => (entry.type === "user" || entry.type === "assistant") && entry.isMeta !== true;
  if (sessionStore !== undefined) {
    const entries = (await sessionStore.load({ projectKey: projectKeyOf(dir), sessionId, subpath })) ?? [];
    const metadata = entries.findLast(({ type }) => type === "agent_metadata");
    return page(conversationIn(entries).filter(isShown), options).map((entry) => messageOf(entry, metadata));
  }
  const path = `${folderOf(findTranscript(sessionId, dir)!)}/${subpath}.jsonl`;
  const metadata = readSidecar(path);
  const entries = loadSession({ path })?.entries ?? [];
  return page(entries.filter(isShown), options).map((entry) => messageOf(entry, metadata));
}

/** The active branch among the entries of a store. */
function conversationIn(entries: readonly SessionStoreEntry[]): ChainEntry[] {
  const chain = inTimeOrder(entries).filter((entry): entry is ChainEntry & SessionStoreEntry => isChainEntry(entry));
  return liveChain(chain.map(linkOf)).steps.map(({ index }) => chain[index]!);
}

async function subpathsOf(sessionId: string, dir?: string, store?: SessionStore): Promise<string[]> {
  if (store === undefined) {
    const path = findTranscript(sessionId, dir);
    return path === undefined ? [] : transcriptsBelow(folderOf(path), "subagents");
  }
  if (store.listSubkeys === undefined) {
    throw new Error("To list subagents, the session store must have listSubkeys()");
  }
  const subpaths = await store.listSubkeys({ projectKey: projectKeyOf(dir), sessionId });
  return subpaths.filter((subpath) => subpath.startsWith("subagents/")).toSorted();
}

/** Paths below a session's folder, without the extension: what a store calls subpaths. */
export function transcriptsBelow(folder: string, below: string): string[] {
  try {
    return readdirSync(`${folder}/${below}`, { withFileTypes: true })
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((item) => {
        const path = `${below}/${item.name}`;
        if (item.isDirectory()) return transcriptsBelow(folder, path);
        return item.isFile() && item.name.endsWith(".jsonl") ? [path.slice(0, -".jsonl".length)] : [];
      });
  } catch {
    return [];
  }
}

/** The folder next to a transcript. */
export const folderOf = (path: string) => path.slice(0, -".jsonl".length);

const agentIdOf = (subpath: string) => /(?:^|\/)agent-([^/]+)$/.exec(subpath)?.[1];

function page<T>(
  all: readonly T[],
  { limit = Number.POSITIVE_INFINITY, offset = 0 }: { limit?: number; offset?: number },
) {
  return all.slice(offset, offset + limit);
}

const ENVELOPE =
  "parentUuid logicalParentUuid isSidechain type uuid timestamp userType entrypoint cwd sessionId version gitBranch agentId".split(
    " ",
  );

function messageOf(entry: ChainEntry, metadata: Readonly<Record<string, unknown>> = {}): SessionMessage {
  const { toolUseId, parentAgentId } = metadata;
  return {
    type: entry.type as SessionMessage["type"],
    uuid: entry.uuid,
    session_id: entry.sessionId,
    message:
      entry.type === "system"
        ? Object.fromEntries(Object.entries(entry).filter(([name]) => !ENVELOPE.includes(name)))
        : "message" in entry
          ? entry.message
          : undefined,
    parent_tool_use_id: typeof toolUseId === "string" ? toolUseId : null,
    parent_agent_id: typeof parentAgentId === "string" ? parentAgentId : null,
    ...(typeof entry.timestamp === "string" ? { timestamp: entry.timestamp } : {}),
  };
}

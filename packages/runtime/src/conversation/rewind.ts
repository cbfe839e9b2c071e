// Takes the conversation back to before a prompt. The transcript keeps all entries: what follows is a new branch of it.

import { existsSync } from "node:fs";
import { Conversation } from "@keelson/engine";
import {
  blocksOf,
  isChainEntry,
  isJoinedPrompt,
  isToolResult,
  type ChainEntry,
  type ModelMessage,
} from "@keelson/protocol";
import { todosIn } from "../task-list/todos.ts";
import type { Storage } from "../session/storage.ts";

export interface RewoundConversation {
  /** What the prompt said. */
  readonly prompt: ModelMessage["content"];
  readonly sessionId: string;
}

/** `prompt` is the id of its message. Throws an error for the user. */
export async function rewindConversation(storage: Storage, prompt: string): Promise<RewoundConversation> {
  const { place, state, outbox } = storage;
  if (place.path === null || !existsSync(place.path)) throw new Error("This conversation is not saved");
  const { loadSession, readEntries } = await import("@keelson/store/past");
  const all = new Map<string, ChainEntry>();
  let found: ChainEntry | undefined;
  for (const entry of readEntries(place.path)) {
    if (!isChainEntry(entry) || entry.isSidechain) continue;
    all.set(entry.uuid, entry);
    if (isPromptWithId(entry, prompt)) found = entry;
  }
  if (!found) throw new Error(`No prompt with the id "${prompt}" in this conversation`);
  const before = leafBefore(found, all);
  const loaded = before === null ? undefined : loadSession({ path: place.path, at: before });
  const entries = loaded?.entries ?? [];
  const leaf = loaded?.leafUuid ?? null;
  state.conversation = await Conversation.of(entries, state.instructions?.reread());
  outbox.rewind(leaf);
  // So that a resume finds the conversation as it is now, even if nothing follows.
  outbox.note({ type: "keelson-rewind", leafUuid: leaf, sessionId: place.id });
  state.lastUsage = null;
  state.todos.set(todosIn(entries));
  storage.rewound(entries);
  await outbox.show({ type: "system", subtype: "conversation_rewound", user_message_id: prompt, leaf_uuid: leaf });
  return { prompt: contentOf(found), sessionId: place.id };
}

function isPromptWithId(entry: ChainEntry, id: string): boolean {
  if (isJoinedPrompt(entry)) return entry.uuid === id || entry.attachment["source_uuid"] === id;
  if (entry.type !== "user" || entry.uuid !== id || entry.isMeta || entry.isCompactSummary) return false;
  return !blocksOf(entry.message.content).some(isToolResult);
}

/** Added for a prompt, and written before it. */
const ADDED = new Set([
  "agent_mention",
  "directory",
  "file",
  "hook_additional_context",
  "keelson_mention",
  "mcp_resource",
]);

function leafBefore({ parentUuid }: ChainEntry, all: ReadonlyMap<string, ChainEntry>): string | null {
  let at = parentUuid;
  for (let entry = at === null ? undefined : all.get(at); entry; entry = at === null ? undefined : all.get(at)) {
    if (entry.type !== "attachment" || !ADDED.has(entry.attachment.type)) break;
    at = entry.parentUuid;
  }
  return at;
}

function contentOf(entry: ChainEntry): ModelMessage["content"] {
  if (isJoinedPrompt(entry)) return entry.attachment["prompt"] as ModelMessage["content"];
  return entry.type === "user" ? entry.message.content : "";
}

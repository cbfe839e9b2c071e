// Takes the conversation back to before a prompt. The transcript keeps all entries: what follows is a new branch of it.

import { existsSync } from "node:fs";
import { Conversation } from "@keelson/engine";
import { isChainEntry, textOf, type ChainEntry, type ModelMessage } from "@keelson/protocol";
import { todosIn } from "../task-list/todos.ts";
import type { Storage } from "../session/storage.ts";
import { isAddedForPrompt, isPromptWithId, promptContent } from "./prompt-entry.ts";

export interface RewoundConversation {
  /** What the prompt said. */
  readonly prompt: ModelMessage["content"];
  readonly sessionId: string;
}

/** `prompt` is the id of its message. Throws an error for the user. */
export async function rewindConversation(storage: Storage, prompt: string): Promise<RewoundConversation> {
  const { place, state, outbox, newId } = storage;
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
  // So that a resume finds the conversation as it is now, even if nothing follows.
  outbox.note({ type: "keelson-rewind", leafUuid: leafBefore(found, all), sessionId: place.id });
  const { entries = [], leafUuid: leaf = null } =
    loadSession({ path: place.path, configDir: state.snapshot.configDir }) ?? {};
  state.conversation = await Conversation.of(entries, state.instructions?.reread());
  outbox.rewind(leaf);
  state.lastUsage = null;
  state.todos.set(todosIn(entries));
  storage.rewound(entries);
  const shown = outbox.record([
    {
      type: "system",
      subtype: "informational",
      level: "info",
      content: `Went back to before ${quoted(promptContent(found))}; what followed is no longer part of the conversation`,
      rewoundTo: prompt,
      uuid: newId(),
    },
  ]);
  // No message follows on the new branch yet, so that entry alone would not make it the newest one.
  outbox.note({ type: "keelson-rewind", leafUuid: outbox.leaf, sessionId: place.id });
  await shown;
  return { prompt: promptContent(found), sessionId: place.id };
}

const QUOTED_CHARS = 80;

/** Enough of a prompt to recognize it. */
function quoted(content: ModelMessage["content"]): string {
  const text = textOf(content).replace(/\s+/g, " ").trim();
  if (text === "") return "a prompt without text";
  const start = [...text].slice(0, QUOTED_CHARS).join("");
  return `“${start}${start.length < text.length ? "…" : ""}”`;
}

function leafBefore({ parentUuid }: ChainEntry, all: ReadonlyMap<string, ChainEntry>): string | null {
  let at = parentUuid;
  for (let entry = at === null ? undefined : all.get(at); entry; entry = at === null ? undefined : all.get(at)) {
    if (!isAddedForPrompt(entry)) break;
    at = entry.parentUuid;
  }
  return at;
}

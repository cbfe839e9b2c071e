// What an editor was shown and the conversation does not have: calls of subagents that were asked about, replies that broke
// off, questions beside the conversation. It is kept beside the transcript, so that a session is loaded as it was shown.

import { isObject, type Outbound } from "@keelson/protocol";
import type { SessionUpdate } from "../schema/types.ts";

type KeptKind =
  "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk" | "tool_call" | "compaction_update";

export interface KeptShow {
  /** The id of the message of the conversation that it came next to. */
  readonly message: string;
  readonly place: "before" | "after";
  readonly update: SessionUpdate<KeptKind>;
  /** Of a text whose reply started over: all of it. What takes its place does not repeat it. */
  readonly restarts?: string;
}

const KINDS: ReadonlySet<unknown> = new Set<KeptKind>([
  "user_message_chunk",
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call",
  "compaction_update",
]);

/** As this program writes it. */
export function isKeptShow(value: unknown): value is KeptShow {
  if (!isObject(value) || typeof value["message"] !== "string" || !isObject(value["update"])) return false;
  if (value["place"] !== "before" && value["place"] !== "after") return false;
  const { sessionUpdate: kind, toolCallId, title, compactionId, content } = value["update"];
  if (!KINDS.has(kind)) return false;
  if (kind === "tool_call") return typeof toolCallId === "string" && typeof title === "string";
  if (kind === "compaction_update") return typeof compactionId === "string";
  return isObject(content) && content["type"] === "text" && typeof content["text"] === "string";
}

/** By their places. Several editors may have kept the same. */
export class KeptShows {
  readonly #shows = new Map<string, KeptShow[]>();

  constructor(kept: Iterable<KeptShow>) {
    const seen = new Set<string>();
    for (const show of kept) {
      const text = JSON.stringify(show);
      if (seen.has(text)) continue;
      seen.add(text);
      const place = `${show.place} ${show.message}`;
      const others = this.#shows.get(place);
      if (others) others.push(show);
      else this.#shows.set(place, [show]);
    }
  }

  /** Once. */
  take(place: KeptShow["place"], message: string): readonly KeptShow[] {
    const shows = this.#shows.get(`${place} ${message}`) ?? [];
    this.#shows.delete(`${place} ${message}`);
    return shows;
  }
}

/** The id of a message that a transcript has. */
export function storedId(message: Outbound): string | undefined {
  if (message.type !== "assistant" && message.type !== "user") return undefined;
  return typeof message.parent_tool_use_id === "string" ? undefined : message.uuid;
}

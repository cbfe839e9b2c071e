// What was chosen in the rewind picker, done through control requests.

import { textOf, type ReplyTo } from "@keelson/protocol";
import { cleanRow } from "../screen/clean.ts";
import { RequestError, type Requests } from "@keelson/client";

/** A prompt of the conversation. */
export interface RewindPoint {
  /** The uuid of the user message. */
  readonly id: string;
  readonly text: string;
  /** When it was sent, in milliseconds. */
  readonly sentMs?: number;
  /** A summary has taken its place. */
  readonly isSummarized?: true;
}

export type RewindKind = "both" | "conversation" | "code" | "summarize-from" | "summarize-up-to";

export interface RewindChoice {
  readonly kind: RewindKind;
  readonly point: RewindPoint;
}

export interface RewindOutcome {
  /** One line for the user. */
  readonly note: string;
  /** The conversation was cut: the screen starts again. */
  readonly conversation: boolean;
  /** Text for the input. */
  readonly draft?: string;
}

/** Rejects with the session's error. The code comes first: if it cannot be restored, the conversation stays. */
export async function performRewind({ kind, point }: RewindChoice, requests: Requests): Promise<RewindOutcome> {
  if (kind === "summarize-from" || kind === "summarize-up-to") return summarize(kind, point, requests);
  const restoresCode = kind === "both" || kind === "code";
  const restored = restoresCode ? await requests.request("rewind_files", { user_message_id: point.id }) : undefined;
  const except = exceptText(restored?.refused ?? []);
  if (kind === "code") return { note: `Restored the code${except}`, conversation: false };
  const reply = await requests.request("rewind_conversation", { user_message_id: point.id });
  return {
    note: restoresCode ? `Restored the conversation and the code${except}` : "Restored the conversation",
    conversation: true,
    draft: promptIn(reply, point),
  };
}

export type RefusedFile = NonNullable<ReplyTo<"rewind_files">["refused"]>[number];

const exceptText = (refused: readonly RefusedFile[]) =>
  refused.length === 0
    ? ""
    : `, except ${refused.map(({ path, reason }) => cleanRow(`${path} (${reason})`)).join(", ")}`;

/** What follows the point is replaced with a summary, and its text returns to the input; or what came before it is. */
async function summarize(
  kind: "summarize-from" | "summarize-up-to",
  point: RewindPoint,
  requests: Requests,
): Promise<RewindOutcome> {
  const direction = kind === "summarize-from" ? "from" : "up_to";
  try {
    const reply = await requests.request("compact_conversation", { user_message_id: point.id, direction });
    if (direction === "up_to")
      return { note: "Summarized everything before that prompt; the rest is unchanged", conversation: false };
    return {
      note: "Summarized that prompt and everything after it; what came before is unchanged",
      conversation: false,
      draft: promptIn(reply, point),
    };
  } catch (error) {
    if (!(error instanceof RequestError && error.code === "not_compacted")) throw error;
    // The session has said why.
    return { note: "The conversation stays as it is", conversation: false };
  }
}

/** The whole text of the prompt; the list has only its beginning. */
function promptIn({ prompt }: ReplyTo<"rewind_conversation">, point: RewindPoint): string {
  const text = textOf(prompt).trim();
  return text === "" ? point.text : text;
}

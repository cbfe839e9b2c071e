// What was chosen in the rewind picker, done through control requests.

import { textOf, type ModelMessage } from "@keelson/protocol";
import { RequestError, type Requests } from "../stream/requests.ts";

/** A prompt of the conversation. */
export interface RewindPoint {
  /** The uuid of the user message. */
  readonly id: string;
  readonly text: string;
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
  if (kind === "summarize-from") return summarizeFrom(point, requests);
  if (kind === "summarize-up-to") return summarizeUpTo(point, requests);
  const restoresCode = kind === "both" || kind === "code";
  if (restoresCode) await requests.request("rewind_files", { user_message_id: point.id });
  if (kind === "code") return { note: "Restored the code", conversation: false };
  const draft = await cutConversation(point, requests);
  return {
    note: restoresCode ? "Restored the conversation and the code" : "Restored the conversation",
    conversation: true,
    draft,
  };
}

async function cutConversation(point: RewindPoint, requests: Requests): Promise<string> {
  const reply = await requests.request("rewind_conversation", { user_message_id: point.id });
  const { prompt } = (reply ?? {}) as { readonly prompt?: ModelMessage["content"] };
  const text = prompt === undefined ? "" : textOf(prompt).trim();
  return text === "" ? point.text : text;
}

/** What follows the point is replaced with a summary in the input, which the user may change before sending it. */
async function summarizeFrom(point: RewindPoint, requests: Requests): Promise<RewindOutcome> {
  const reply = await requests.request("side_question", { question: summaryQuestion(point.text) });
  const { response } = (reply ?? {}) as { readonly response?: unknown };
  if (typeof response !== "string" || response.trim() === "") throw new Error("The model returned no summary");
  await cutConversation(point, requests);
  return {
    note: "Went back and put a summary of what followed into the prompt",
    conversation: true,
    draft: `What we did next, as a summary:\n\n${response.trim()}\n\n`,
  };
}

/** Everything before the point is replaced with a summary; the rest stays. */
async function summarizeUpTo({ id }: RewindPoint, requests: Requests): Promise<RewindOutcome> {
  try {
    await requests.request("compact_conversation", { user_message_id: id });
    return { note: "Summarized everything before that prompt; the rest is unchanged", conversation: false };
  } catch (error) {
    if (!(error instanceof RequestError && error.code === "not_compacted")) throw error;
    // The session has said why.
    return { note: "The conversation stays as it is", conversation: false };
  }
}

const summaryQuestion = (prompt: string) =>
  [
    "Summarize this conversation from the following prompt of the user on, including it.",
    "Name what was asked, what was done, which files were changed and how, what was found out, and what is still open.",
    "Answer with the summary only. The prompt is:",
    "",
    prompt,
  ].join("\n");

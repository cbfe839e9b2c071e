// How a run ends early, and the entries that record it. Pure.

import type { NewEntry } from "@keelson/protocol";
import { wireErrorName, type ModelError, type ModelErrorKind } from "../errors.ts";
import { addUsage, type Ending } from "./result.ts";
import { STRUCTURED_OUTPUT } from "../turn/structured.ts";
import type { SettledCall } from "../tool/tool-call.ts";
import type { ModelReply } from "../turn/turn.ts";

export const SUMMARY_PROMPT =
  "No turns are left for this task. Without calling tools, summarize what you did, what you found, and what remains to be done.";

/** How the run ends after this turn; undefined if it continues. */
export function endingAfter(
  { text, stopReason }: Pick<ModelReply, "text" | "stopReason">,
  settled: readonly SettledCall[],
  { broke, aborted }: { broke: boolean; aborted: boolean },
): Ending | undefined {
  if (broke) return { reason: "budget_exhausted", text, stopReason };
  if (aborted || settled.some(({ interrupt }) => interrupt)) return { reason: "aborted_tools", text, stopReason };
  const deferred = settled.findLast((call) => call.deferred)?.deferred;
  if (deferred) return { reason: "tool_deferred", text: "", stopReason: "tool_deferred", deferred };
  if (settled.some(({ stop }) => stop !== undefined)) return { reason: "hook_stopped", text: "", stopReason };
  const answer = settled.find(({ tool, failed }) => tool === STRUCTURED_OUTPUT && !failed)?.output;
  if (answer === undefined) return undefined;
  return { reason: "completed", text: JSON.stringify(answer), structured: answer, stopReason };
}

/** Clients and resumed sessions look for this marker. It records what the user did, so it is not flagged as ours. */
export function interruptionEntry(during: "streaming" | "tools", uuid: string): NewEntry {
  const text = during === "tools" ? "[Request interrupted by user for tool use]" : "[Request interrupted by user]";
  return { type: "user", uuid, message: { role: "user", content: [{ type: "text", text }] } };
}

/** What ended a run in place of a reply, in words for people. */
export interface RunFailure {
  readonly text: string;
  /** As clients know it. */
  readonly error: string;
  readonly requestId?: string | undefined;
}

/** Shown to people in place of a reply. The model never sees it. */
export function failureEntry({ text, error, requestId }: RunFailure, uuid: string) {
  return {
    type: "assistant" as const,
    uuid,
    message: {
      id: uuid,
      type: "message" as const,
      role: "assistant" as const,
      model: "<synthetic>",
      content: [{ type: "text" as const, text }],
      stop_reason: "stop_sequence",
      stop_sequence: "",
      usage: addUsage(),
    },
    isApiErrorMessage: true,
    error,
    ...(requestId === undefined ? {} : { requestId }),
  };
}

export function apiErrorEntry(error: ModelError, uuid: string) {
  const failure = { text: apiErrorText(error), error: wireErrorName(error), requestId: error.requestId };
  return {
    ...failureEntry(failure, uuid),
    apiErrorStatus: error.status ?? null,
    ...(error.apiType === undefined ? {} : { apiErrorType: error.apiType }),
  };
}

function apiErrorText({ kind, status, message }: ModelError): string {
  if (kind === "signed_out") return message;
  return `${KNOWN_BEGINNINGS[kind] ?? ""}API Error: ${status === undefined ? "" : `${status} `}${message}`;
}

// Clients look for these words at the beginning (test/conformance/protocol/cases/failures.ts).
const KNOWN_BEGINNINGS: Partial<Record<ModelErrorKind, string>> = {
  prompt_too_long: "Prompt is too long · ",
  authentication_failed: "Failed to authenticate. ",
};

/** Says that the model refused, and on what grounds if its server told. `prompt` is what it refused. */
export function refusalEntry(
  { model, requestId, refusal }: ModelReply,
  prompt: string | undefined,
  uuid: string,
): NewEntry {
  return {
    type: "system",
    subtype: "model_refusal_no_fallback",
    uuid,
    content: "",
    level: "warning",
    originalModel: model,
    requestId: requestId ?? null,
    apiRefusalCategory: refusal?.category ?? null,
    apiRefusalExplanation: refusal?.explanation ?? null,
    ...(prompt === undefined ? {} : { refusedUserMessageUuid: prompt }),
  };
}

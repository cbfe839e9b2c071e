// Sends one model request outside the conversation and charges its cost. The conversation's own requests are sent by
// `engine/turn/turn.ts`; nothing else calls a provider.

import { withCounted, type ModelChoice, type ModelEvent, type ModelRequest, type SideReply } from "@keelson/engine";
import { NO_USAGE, type Usage } from "@keelson/protocol";

export interface SideRequest {
  readonly model: Pick<ModelChoice, "provider">;
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  /** Sees every event, for what is not text. */
  watch?(event: ModelEvent): void;
  charge(usage: Usage, model: string, durationMs: number): void;
  now(): number;
}

/** Returns the text of the reply. Charges for partial replies too. Throws ModelError. */
export async function sendSideRequest(side: SideRequest): Promise<string> {
  return (await requestSideReply(side)).text;
}

export async function requestSideReply({
  model,
  request,
  signal,
  watch,
  charge,
  now,
}: SideRequest): Promise<SideReply> {
  const started = now();
  let text = "";
  let usage: Usage = NO_USAGE;
  let stopReason: string | null = null;
  let answering: string | undefined;
  try {
    for await (const event of model.provider.stream(request, signal)) {
      watch?.(event);
      if (event.type === "notice" && event.notice.type === "restart") text = "";
      if (event.type === "message_start") {
        answering = event.message.model;
        usage = { ...usage, ...event.message.usage };
      }
      if (event.type === "message_delta") {
        usage = withCounted(usage, event.usage);
        stopReason = event.delta.stop_reason ?? stopReason;
      }
      if (event.type === "content_block_delta" && event.delta.type === "text_delta") text += event.delta.text;
    }
    return { text, stopReason };
  } finally {
    if (answering !== undefined) charge(usage, answering, now() - started);
  }
}

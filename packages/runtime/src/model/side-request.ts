// Sends one model request outside the conversation and charges its cost. The conversation's own requests are sent by
// `engine/turn.ts`; nothing else calls a provider.

import { withCounted, type ModelChoice, type ModelRequest } from "@keelson/engine";
import { NO_USAGE, type Usage } from "@keelson/protocol";

export interface SideRequest {
  readonly model: Pick<ModelChoice, "provider">;
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  charge(usage: Usage, model: string, durationMs: number): void;
  now(): number;
}

/** Returns the text of the reply. Charges for partial replies too. Throws ModelError. */
export async function sendSideRequest({ model, request, signal, charge, now }: SideRequest): Promise<string> {
  const started = now();
  let text = "";
  let usage: Usage = NO_USAGE;
  let answering: string | undefined;
  try {
    for await (const event of model.provider.stream(request, signal)) {
      if (event.type === "notice" && event.notice.type === "restart") text = "";
      if (event.type === "message_start") {
        answering = event.message.model;
        usage = { ...usage, ...event.message.usage };
      }
      if (event.type === "message_delta") usage = withCounted(usage, event.usage);
      if (event.type === "content_block_delta" && event.delta.type === "text_delta") text += event.delta.text;
    }
    return text;
  } finally {
    if (answering !== undefined) charge(usage, answering, now() - started);
  }
}

// A question to a model beside the conversation: one request, its text, and what it cost. The conversation itself is
// asked in the engine's `turn.ts`; nobody else speaks to a provider.

import { withCounted, type ModelChoice, type ModelRequest } from "@keelson/engine";
import { NO_USAGE, type Usage } from "@keelson/protocol";

export interface SideRequest {
  readonly model: Pick<ModelChoice, "provider">;
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  charge(usage: Usage, model: string, durationMs: number): void;
  now(): number;
}

/** The text of the reply. What came of it is charged for, whether or not it came to an end. Throws ModelError. */
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

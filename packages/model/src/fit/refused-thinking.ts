// Thinking whose signature a server does not accept, such as that of another account behind the same name. Left in, it
// would make the server refuse every later request, so the request is sent once more without it.

import type { ContentBlock } from "@keelson/protocol";
import type { ModelRequest } from "@keelson/engine";
import { keepThinking } from "./own-thinking.ts";

export const THINKING_REFUSED = "The server did not accept the model's earlier thinking; continuing without it";

export class RefusedThinking {
  readonly #signatures = new Set<string>();

  /** Remembers the thinking in a request that was refused. False if there is none. */
  add({ messages }: ModelRequest): boolean {
    const before = this.#signatures.size;
    for (const { role, content } of messages) {
      if (role !== "assistant" || typeof content === "string") continue;
      for (const block of content) if (isThinking(block)) this.#signatures.add(signatureOf(block));
    }
    return this.#signatures.size > before;
  }

  without(request: ModelRequest): ModelRequest {
    return keepThinking(request, (block) => !this.#signatures.has(signatureOf(block)));
  }
}

const isThinking = ({ type }: ContentBlock) => type === "thinking" || type === "redacted_thinking";

/** Redacted thinking is all signature. */
function signatureOf(block: ContentBlock): string {
  const { signature, data } = block as { readonly signature?: unknown; readonly data?: unknown };
  return String(signature ?? data);
}

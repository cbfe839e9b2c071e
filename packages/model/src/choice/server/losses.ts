// Lets a notice about something lost through once per session: a provider repeats it with every request.

import type { PlainProvider } from "../../wrappers/retry.ts";
import type { ModelEvent } from "@keelson/engine";

export function withLossesOnce(inner: PlainProvider, told: Set<string>): PlainProvider {
  async function* once(events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent> {
    for await (const event of events) {
      if (event.type === "notice" && event.notice.type === "loss") {
        if (told.has(event.notice.text)) continue;
        told.add(event.notice.text);
      }
      yield event;
    }
  }
  return {
    ...inner,
    stream: (request, signal) => once(inner.stream(request, signal)),
    plain: (request, signal) => once(inner.plain(request, signal)),
  };
}

// Joins the deltas of a block that arrived together, for readers that show text and do not count deltas.

import type { BlockDelta, StreamEvent } from "@keelson/protocol";

type DeltaEvent = StreamEvent & { readonly type: "content_block_delta" };

/** The same events; neighbouring deltas of one block and kind are one. */
export function joinedDeltas(events: readonly StreamEvent[]): StreamEvent[] {
  const joined: StreamEvent[] = [];
  for (let at = 0; at < events.length; at++) {
    const event = events[at]!;
    const field = fieldOf(event);
    const texts: string[] = [];
    for (; field !== undefined && follows(events[at + 1], event, field); at++)
      texts.push(textOf(events[at + 1]!, field));
    joined.push(
      texts.length === 0 ? event : withText(event as DeltaEvent, field!, textOf(event, field!) + texts.join("")),
    );
  }
  return joined;
}

type TextField = "text" | "thinking" | "partial_json";

function follows(next: StreamEvent | undefined, event: StreamEvent, field: TextField): boolean {
  return next !== undefined && fieldOf(next) === field && (next as DeltaEvent).index === (event as DeltaEvent).index;
}

/** Undefined for what is not a piece of a text. A server may send anything. */
function fieldOf(event: StreamEvent): TextField | undefined {
  const delta = event.type === "content_block_delta" ? event.delta : undefined;
  const field = delta && FIELDS[delta.type];
  return field !== undefined && typeof Reflect.get(delta!, field) === "string" ? field : undefined;
}

const textOf = (event: StreamEvent, field: TextField) => Reflect.get((event as DeltaEvent).delta, field) as string;

function withText(event: DeltaEvent, field: TextField, text: string): StreamEvent {
  return { ...event, delta: { ...event.delta, [field]: text } as BlockDelta };
}

const FIELDS: Readonly<Record<string, TextField | undefined>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  input_json_delta: "partial_json",
};

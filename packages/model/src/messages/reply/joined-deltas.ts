// Joins the deltas of a block that arrived together, for readers that show text and do not count deltas, and says how
// long to wait for more of them.

import type { BlockDelta, StreamEvent } from "@keelson/protocol";

type DeltaEvent = StreamEvent & { readonly type: "content_block_delta" };

/** The same events; neighbouring deltas of one block and kind are one. */
export function joinedDeltas(events: readonly StreamEvent[]): StreamEvent[] {
  const joined: StreamEvent[] = [];
  for (let at = 0, end = 0; at < events.length; at = end) {
    const event = events[at]!;
    const field = fieldOf(event);
    end = at + 1;
    while (field !== undefined && follows(events[end], event, field)) end++;
    joined.push(field === undefined || end === at + 1 ? event : asOne(events.slice(at, end) as DeltaEvent[], field));
  }
  return joined;
}

/** At a time, no one reads so many characters as they come. */
const FAST = 800;
/** Waking up for so many is no waste. */
const MUCH = 8_000;

/** How long the next read may wait, in frames of the screen: only deltas may, because the end of a block starts a tool. */
export function gatherTimes(last: StreamEvent | undefined): number {
  if (last?.type !== "content_block_delta") return 0;
  const field = fieldOf(last);
  if (field === "partial_json") return 0.5;
  const length = field === "text" ? textOf(last, field).length : 0;
  if (length < FAST) return 1;
  return length < MUCH ? 2 : 0.5;
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

const textOf = ({ delta }: DeltaEvent, field: TextField) => Reflect.get(delta, field) as string;

function asOne(events: readonly DeltaEvent[], field: TextField): StreamEvent {
  const [first] = events as readonly [DeltaEvent];
  const text = events.map((event) => textOf(event, field)).join("");
  return { ...first, delta: { ...first.delta, [field]: text } as BlockDelta };
}

const FIELDS: Readonly<Record<string, TextField | undefined>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  input_json_delta: "partial_json",
};

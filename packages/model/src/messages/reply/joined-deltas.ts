// Joins the deltas of a block that arrived together, for readers that show text and do not count deltas.

import type { BlockDelta, StreamEvent } from "@keelson/protocol";

type DeltaEvent = StreamEvent & { readonly type: "content_block_delta" };

/** The same events; neighbouring deltas of one block and kind are one. */
export function* joinedDeltas(events: Iterable<StreamEvent>): Generator<StreamEvent> {
  let waiting: DeltaEvent[] = [];
  try {
    for (const event of events) {
      const isPiece = event.type === "content_block_delta" && textOf(event.delta) !== undefined;
      if (waiting.length > 0 && !(isPiece && follows(event, waiting[0]!))) yield* flushed();
      if (isPiece) waiting.push(event);
      else yield event;
    }
  } catch (error) {
    // What came before a broken event is shown all the same.
    yield* flushed();
    throw error;
  }
  yield* flushed();

  function* flushed(): Generator<StreamEvent> {
    const [first] = waiting;
    if (first === undefined) return;
    const text = waiting.map(({ delta }) => textOf(delta)).join("");
    const isAlone = waiting.length === 1;
    waiting = [];
    yield isAlone ? first : { ...first, delta: withText(first.delta, text) };
  }
}

function follows(event: DeltaEvent, { index, delta }: DeltaEvent): boolean {
  return event.index === index && event.delta.type === delta.type;
}

/** Undefined for deltas that are not pieces of a text. A server may send anything. */
function textOf(delta: BlockDelta): string | undefined {
  const text = fieldOf(delta);
  return text === undefined ? undefined : (Reflect.get(delta, text) as string);
}

function withText(delta: BlockDelta, text: string): BlockDelta {
  return { ...delta, [fieldOf(delta)!]: text } as BlockDelta;
}

function fieldOf(delta: BlockDelta): "text" | "thinking" | "partial_json" | undefined {
  const field = FIELDS[delta.type];
  return field !== undefined && typeof Reflect.get(delta, field) === "string" ? field : undefined;
}

const FIELDS: Readonly<Record<string, "text" | "thinking" | "partial_json" | undefined>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  input_json_delta: "partial_json",
};

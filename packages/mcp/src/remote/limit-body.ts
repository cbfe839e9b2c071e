// Limits what a server may send in one message: a whole HTTP body, or one event of an event stream. A server that sends
// more gets an error instead of our memory.

import { withoutBatches } from "./batches.ts";

/** Large enough for any sensible result: images and audio are base64 in one message. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Brackets become objects that are many times as large. */
const MAX_VALUES = 2_000_000;
const MAX_PARTS = 10_000;

export interface MessageLimits {
  readonly bytes?: number;
  readonly values?: number;
}

/** A message from the server that is larger than a limit. */
export class MessageTooLargeError extends Error {
  override readonly name = "MessageTooLargeError";
}

export function isEventStream(response: Response): boolean {
  return /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
}

/** The same response with a limited body. `onTooLarge` is called before reading fails. */
export function limitBody(response: Response, limits: MessageLimits, onTooLarge: (error: Error) => void): Response {
  if (!response.body) return response;
  const reader = response.body.getReader();
  const isStream = isEventStream(response);
  const pass = isStream ? wholeLines(limits) : unchanged(limits);
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      // Until there is something to pass on: otherwise the stream would not pull again.
      for (;;) {
        const { value, done } = await reader.read();
        const chunks = done ? pass.rest() : pass.push(value);
        if (!Array.isArray(chunks)) {
          onTooLarge(chunks);
          controller.error(chunks);
          await reader.cancel(chunks).catch(() => undefined);
          return;
        }
        if (chunks.length > 0) {
          const bytes = Buffer.concat(chunks);
          controller.enqueue((isStream ? withoutBatches(bytes) : bytes) as Uint8Array<ArrayBuffer>);
        }
        if (done) return controller.close();
        if (chunks.length > 0) return;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

interface Filter {
  /** The bytes that may be passed on now. */
  push(chunk: Uint8Array): Uint8Array[] | MessageTooLargeError;
  /** The bytes that were held back. */
  rest(): Uint8Array[];
}

function unchanged(limits: MessageLimits): Filter {
  const scan = scanner(limits, false);
  return {
    push(chunk) {
      const scanned = scan(chunk);
      return typeof scanned === "number" ? [chunk] : scanned;
    },
    rest: () => [],
  };
}

/** Passes on whole lines only: parsers scan an unfinished line again with every chunk. */
function wholeLines(limits: MessageLimits): Filter {
  const scan = scanner(limits, true);
  let held: Uint8Array[] = [];
  return {
    push(chunk) {
      const end = scan(chunk);
      if (typeof end !== "number") return end;
      if (end === 0) {
        held.push(chunk);
        // A server may send byte by byte, and every part costs a hundred bytes.
        if (held.length >= MAX_PARTS) held = [Buffer.concat(held)];
        return [];
      }
      const lines = [...held, chunk.subarray(0, end)];
      held = end < chunk.length ? [chunk.subarray(end)] : [];
      return lines;
    },
    rest: () => held,
  };
}

const [LF, CR, QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = [10, 13, 34, 92, 44, 91, 123];

/** Measures messages chunk by chunk. Returns where the last line of the chunk ends, or the error. */
function scanner(
  { bytes: maxBytes = MAX_MESSAGE_BYTES, values: maxValues = MAX_VALUES }: MessageLimits,
  isStream: boolean,
) {
  let bytes = 0;
  let values = 0;
  let lineLength = 0;
  let isInString = false;
  let isEscaped = false;
  let isAfterCr = false;
  return (chunk: Uint8Array): number | MessageTooLargeError => {
    let lineEnd = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      bytes++;
      if (byte === LF || byte === CR) {
        // An empty line ends an event; the LF of a CR LF is no line of its own.
        if (isStream && lineLength === 0 && !(byte === LF && isAfterCr)) bytes = values = 0;
        lineLength = 0;
        lineEnd = at + 1;
        // No string of JSON goes on after a line.
        isInString = false;
      } else {
        lineLength++;
        if (byte === QUOTE && !isEscaped) isInString = !isInString;
        else if (!isInString && (byte === COMMA || byte === BRACKET || byte === BRACE)) values++;
      }
      isEscaped = byte === BACKSLASH && isInString && !isEscaped;
      isAfterCr = byte === CR;
      if (bytes > maxBytes) return tooLarge(`larger than ${maxBytes / 1024 / 1024} MiB`);
      if (values > maxValues) return tooLarge(`with more than ${maxValues / 1_000_000} million values`);
    }
    return lineEnd;
  };
}

const tooLarge = (what: string) => new MessageTooLargeError(`the server sent a message ${what}`);

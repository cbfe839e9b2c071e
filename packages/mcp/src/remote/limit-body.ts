// Limits the size of HTTP response bodies: the whole body, or each event of an event stream. A server that sends more
// gets an error instead of our memory.

/** Large enough for any sensible result: images and audio are base64 in one message. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** A message from the server that is larger than the limit. */
export class MessageTooLargeError extends Error {
  override readonly name = "MessageTooLargeError";

  constructor(maxBytes: number) {
    super(`the server sent a message larger than ${Math.round(maxBytes / 1024 / 1024)} MB`);
  }
}

export function isEventStream(response: Response): boolean {
  return /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
}

/** The same response with a limited body. `onTooLarge` is called before reading fails. */
export function limitBody(response: Response, maxBytes: number, onTooLarge: (error: Error) => void): Response {
  if (!response.body) return response;
  const reader = response.body.getReader();
  const pass = isEventStream(response) ? eventLimit(maxBytes) : totalLimit(maxBytes);
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      // Until there is something to pass on: otherwise the stream would not pull again.
      for (;;) {
        const { value, done } = await reader.read();
        const chunks = done ? pass.rest() : pass.push(value);
        if (chunks === "too large") {
          const error = new MessageTooLargeError(maxBytes);
          onTooLarge(error);
          controller.error(error);
          await reader.cancel(error).catch(() => undefined);
          return;
        }
        if (chunks.length > 0) controller.enqueue(Buffer.concat(chunks) as Uint8Array<ArrayBuffer>);
        if (done) return controller.close();
        if (chunks.length > 0) return;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

interface Limit {
  /** The bytes that may be passed on now. */
  push(chunk: Uint8Array): readonly Uint8Array[] | "too large";
  /** The bytes that were held back. */
  rest(): readonly Uint8Array[];
}

function totalLimit(maxBytes: number): Limit {
  let size = 0;
  return {
    push: (chunk) => ((size += chunk.length) > maxBytes ? "too large" : [chunk]),
    rest: () => [],
  };
}

const LF = 10;
const CR = 13;

/** Passes on whole lines only: parsers scan an unfinished line again with every chunk. */
function eventLimit(maxBytes: number): Limit {
  let held: Uint8Array[] = [];
  let eventSize = 0;
  let lineSize = 0;
  let afterCr = false;
  return {
    push(chunk) {
      let lineEnd = 0;
      for (let at = 0; at < chunk.length; at++) {
        const byte = chunk[at];
        eventSize++;
        if (byte === LF || byte === CR) {
          // An empty line ends an event; the LF of a CR LF is no line of its own.
          if (lineSize === 0 && !(byte === LF && afterCr)) eventSize = 0;
          lineSize = 0;
          lineEnd = at + 1;
        } else lineSize++;
        afterCr = byte === CR;
        if (eventSize > maxBytes) return "too large";
      }
      if (lineEnd === 0) {
        held.push(chunk);
        return [];
      }
      const lines = [...held, chunk.subarray(0, lineEnd)];
      held = lineEnd < chunk.length ? [chunk.subarray(lineEnd)] : [];
      return lines;
    },
    rest: () => held,
  };
}

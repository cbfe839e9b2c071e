// The frames of a WebSocket (RFC 6455) as a client sees them. Pure. Extensions are not supported.

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 };

/** A whole message, or a control frame. */
export interface Incoming {
  readonly opcode: number;
  readonly payload: Buffer;
}

const MAX_MESSAGE_BYTES = 1024 * 1024;

/**
 * Returns a function that takes bytes as they come and returns what they complete. It throws if they break the protocol
 * or are too many.
 */
export function frameReader(): (chunk: Uint8Array) => Incoming[] {
  let held: Uint8Array[] = [];
  let size = 0;
  let needed = 2;
  let message: { opcode: number; parts: Buffer[]; size: number } | undefined;

  /** The message that this frame completes, if it completes one. */
  const add = ({ opcode, isFinal, payload }: Frame): Incoming | undefined => {
    if (opcode >= OPCODE.close) return { opcode, payload };
    if ((opcode === OPCODE.continuation) !== (message !== undefined)) throw new Error("the frames are out of order");
    message ??= { opcode, parts: [], size: 0 };
    message.parts.push(payload);
    message.size += payload.length;
    if (message.size > MAX_MESSAGE_BYTES) throw tooLong();
    if (!isFinal) return undefined;
    const whole = { opcode: message.opcode, payload: Buffer.concat(message.parts) };
    message = undefined;
    return whole;
  };
  return (chunk) => {
    held.push(chunk);
    size += chunk.length;
    const found: Incoming[] = [];
    // Joined only when a frame may be complete: the other end decides how small the chunks are.
    while (size >= needed) {
      const bytes = Buffer.concat(held);
      const frame = readFrame(bytes);
      const left = typeof frame === "number" ? bytes : bytes.subarray(frame.end);
      held = [left];
      size = left.length;
      needed = typeof frame === "number" ? frame : 2;
      const complete = typeof frame === "number" ? undefined : add(frame);
      if (complete) found.push(complete);
    }
    return found;
  };
}

interface Frame {
  readonly opcode: number;
  readonly isFinal: boolean;
  readonly payload: Buffer;
  readonly end: number;
}

/** How many bytes it needs if it is not complete yet. */
function readFrame(bytes: Buffer): Frame | number {
  const [first = 0, second = 0] = bytes;
  const opcode = first & 0x0f;
  const isFinal = (first & 0x80) !== 0;
  if ((first & 0x70) !== 0 || (second & 0x80) !== 0 || !KNOWN.has(opcode)) throw new Error("a frame is malformed");
  const short = second & 0x7f;
  if (opcode >= OPCODE.close && (short > 125 || !isFinal)) throw new Error("a control frame is malformed");
  const start = short === 127 ? 10 : short === 126 ? 4 : 2;
  if (bytes.length < start) return start;
  const length = short === 127 ? Number(bytes.readBigUInt64BE(2)) : short === 126 ? bytes.readUInt16BE(2) : short;
  if (length > MAX_MESSAGE_BYTES) throw tooLong();
  const end = start + length;
  if (bytes.length < end) return end;
  return { opcode, isFinal, payload: Buffer.from(bytes.subarray(start, end)), end };
}

const KNOWN = new Set(Object.values(OPCODE));
const tooLong = () => new Error("a message is longer than 1 MB");

/** A control frame with a masked payload, as clients must send it. */
export function controlFrame(opcode: number, payload: Uint8Array = new Uint8Array()): Buffer {
  const mask = crypto.getRandomValues(new Uint8Array(4));
  const body = payload.subarray(0, 125).map((byte, at) => byte ^ mask[at % 4]!);
  return Buffer.concat([Uint8Array.of(0x80 | opcode, 0x80 | body.length), mask, body]);
}

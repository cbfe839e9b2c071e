// The wire format of D-Bus, as far as a filter needs it: where lines and messages end, whom a call is for, and a refusal.

export interface CallHeader {
  readonly type: number;
  readonly serial: number;
  readonly destination?: string;
  readonly member?: string;
}

export interface BusPart {
  readonly bytes: Buffer;
  /** Undefined for a line of the sign-in, which comes before the first message. */
  readonly header?: CallHeader;
}

const FIXED = 16;
const LARGEST = 16 * 1024 * 1024;
const LONGEST_LINE = 16 * 1024;
const [LITTLE, BIG] = ["l".charCodeAt(0), "B".charCodeAt(0)];
const [MEMBER, ERROR_NAME, REPLY_SERIAL, DESTINATION, SENDER, SIGNATURE] = [3, 4, 5, 6, 7, 8];

/**
 * Cuts a stream into lines and messages; null if it is not one. Messages follow the line `begins`; of the bus, which has no
 * such line, whatever begins as a message does.
 */
export function createSplitter({ begins }: { readonly begins?: RegExp }): (bytes: Buffer) => readonly BusPart[] | null {
  let pending: Buffer = Buffer.alloc(0);
  let hasBegun = false;
  function next(): BusPart | null | undefined {
    if (begins === undefined) hasBegun ||= pending[0] === LITTLE || pending[0] === BIG;
    if (hasBegun) return messageIn(pending);
    const end = pending.indexOf("\r\n");
    if (end === -1) return pending.length > LONGEST_LINE ? null : undefined;
    const bytes = pending.subarray(0, end + 2);
    hasBegun = begins?.test(bytes.toString("latin1")) === true;
    return { bytes };
  }
  return (bytes) => {
    pending = pending.length === 0 ? bytes : Buffer.concat([pending, bytes]);
    const parts: BusPart[] = [];
    for (let part = pending.length > 0 ? next() : undefined; part !== undefined;) {
      if (part === null) return null;
      parts.push(part);
      pending = pending.subarray(part.bytes.length);
      part = pending.length > 0 ? next() : undefined;
    }
    return parts;
  };
}

const padded = (length: number, to: number) => Math.ceil(length / to) * to;

/** The first message; undefined if it is not complete, null if it is none. */
function messageIn(bytes: Buffer): BusPart | null | undefined {
  if (bytes.length < FIXED) return undefined;
  if (bytes[0] !== LITTLE && bytes[0] !== BIG) return null;
  const number = (at: number) => (bytes[0] === LITTLE ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  const [body, serial, fields] = [number(4), number(8), number(12)];
  const length = padded(FIXED + fields, 8) + body;
  if (length > LARGEST) return null;
  if (bytes.length < length) return undefined;
  const whole = bytes.subarray(0, length);
  const texts = fieldsIn(whole, FIXED + fields, number);
  if (texts === null) return null;
  const [destination, member] = [texts.get(DESTINATION), texts.get(MEMBER)];
  const about = { ...(destination === undefined ? {} : { destination }), ...(member === undefined ? {} : { member }) };
  return { bytes: whole, header: { type: whole[1]!, serial, ...about } };
}

/** The fields that are texts, by number; null if there is one twice or of a type that no field has. */
function fieldsIn(bytes: Buffer, end: number, number: (at: number) => number): ReadonlyMap<number, string> | null {
  const found = new Map<number, string>();
  for (let at = FIXED; at < end; at = padded(at, 8)) {
    const code = bytes[at]!;
    const signature = bytes.toString("latin1", at + 1, at + 4);
    at += 4;
    if (signature === "\u0001u\0") at += 4;
    else if (signature === "\u0001g\0") at += 1 + (bytes[at] ?? 0) + 1;
    else if (signature === "\u0001s\0" || signature === "\u0001o\0") {
      if (at + 4 > end || found.has(code)) return null;
      const length = number(at);
      found.set(code, bytes.toString("utf8", at + 4, at + 4 + length));
      at += 4 + length + 1;
    } else return null;
    if (at > end) return null;
  }
  return found;
}

/** An error in answer to a call. */
export function errorReply({ serial }: CallHeader, why: string): Buffer {
  const text = (value: string) => Buffer.concat([uint32(value.length), Buffer.from(`${value}\0`, "latin1")]);
  const field = (code: number, type: string, value: Buffer) =>
    Buffer.concat([Buffer.from([code, 1, type.charCodeAt(0), 0]), value]);
  const fields = [
    field(ERROR_NAME, "s", text("org.freedesktop.DBus.Error.AccessDenied")),
    field(REPLY_SERIAL, "u", uint32(serial)),
    field(SENDER, "s", text("org.freedesktop.DBus")),
    field(SIGNATURE, "g", Buffer.from("\u0001s\0", "latin1")),
  ].reduce((all, each) => Buffer.concat([all, Buffer.alloc(padded(all.length, 8) - all.length), each]));
  const body = text(why);
  const head = Buffer.concat([
    Buffer.from([LITTLE, 3, 1, 1]),
    uint32(body.length),
    uint32(0xffff_fffe),
    uint32(fields.length),
    fields,
  ]);
  return Buffer.concat([head, Buffer.alloc(padded(head.length, 8) - head.length), body]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

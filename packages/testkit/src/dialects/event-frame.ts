// Writes frames of AWS's event streams, as the service does.

/** One frame; all headers are text. */
export function encodeFrame(headers: Readonly<Record<string, string>>, payload: string | Uint8Array): Uint8Array {
  const parts = Object.entries(headers).map(([name, value]) => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(Buffer.byteLength(value));
    return Buffer.concat([
      Buffer.from([Buffer.byteLength(name)]),
      Buffer.from(name),
      Buffer.from([7]),
      length,
      Buffer.from(value),
    ]);
  });
  const head = Buffer.concat(parts);
  const body = Buffer.from(payload);
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(12 + head.length + body.length + 4, 0);
  prelude.writeUInt32BE(head.length, 4);
  prelude.writeUInt32BE(Bun.hash.crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, head, body]);
  const end = Buffer.alloc(4);
  end.writeUInt32BE(Bun.hash.crc32(message));
  return Buffer.concat([message, end]);
}

/** An event such as `contentBlockDelta`, with a payload of JSON. */
export function encodeEvent(type: string, payload: unknown): Uint8Array {
  const headers = { ":event-type": type, ":content-type": "application/json", ":message-type": "event" };
  return encodeFrame(headers, JSON.stringify(payload));
}

/** An exception such as `throttlingException`. */
export function encodeException(type: string, message: string): Uint8Array {
  const headers = { ":exception-type": type, ":content-type": "application/json", ":message-type": "exception" };
  return encodeFrame(headers, JSON.stringify({ message }));
}

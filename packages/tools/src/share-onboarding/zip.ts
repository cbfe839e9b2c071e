// A zip archive of a few small files: names in UTF-8, deflated, without times, so that the same files give the same
// bytes.

import { crc32, deflateRawSync } from "node:zlib";

export interface ZipEntry {
  /** With slashes, relative. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

const UTF8 = 0x0800;
const DEFLATED = 8;
const VERSION = 20;
/** 1980-01-01, the earliest date there is. */
const DATE = 0x0021;

export function zip(entries: readonly ZipEntry[], comment: string): Uint8Array {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes } of entries) {
    const title = Buffer.from(name);
    const packed = deflateRawSync(bytes);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(VERSION, 0);
    facts.writeUInt16LE(UTF8, 2);
    facts.writeUInt16LE(DEFLATED, 4);
    facts.writeUInt16LE(DATE, 8);
    facts.writeUInt32LE(crc32(bytes), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(bytes.length, 18);
    facts.writeUInt16LE(title.length, 22);
    const local = Buffer.concat([signature(0x0403), facts, title, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([signature(0x0201), twoBytes(VERSION), facts, rest, title]));
    parts.push(local);
    offset += local.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(index.length, 8);
  end.writeUInt32LE(offset, 12);
  end.writeUInt16LE(Buffer.byteLength(comment), 16);
  return Buffer.concat([...parts, index, signature(0x0605), end, Buffer.from(comment)]);
}

/** "PK" and the two bytes of the kind. */
function signature(kind: number): Buffer {
  return Buffer.from([0x50, 0x4b, kind & 0xff, kind >> 8]);
}

function twoBytes(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value, 0);
  return bytes;
}

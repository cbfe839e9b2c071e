// Reads a zip archive from memory. No encryption, no zip64, no links; sizes are checked before and while unpacking.

import { inflateRawSync } from "node:zlib";
import { checkedParts, createBudget, isSkipped, LIMITS, PluginFetchError, type PluginFile } from "./plugin-files.ts";

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const END_LENGTH = 22;
const LINK = 0o120000;
const TYPE = 0o170000;

export const isZip = (bytes: Uint8Array) => bytes[0] === 0x50 && bytes[1] === 0x4b;

export function readZip(archive: Uint8Array): readonly PluginFile[] {
  const data = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  try {
    return entriesOf(data);
  } catch (error) {
    // A read outside the buffer, or compressed data that is damaged.
    if (error instanceof RangeError) throw new PluginFetchError("The archive is damaged");
    throw error;
  }
}

function entriesOf(data: Buffer): readonly PluginFile[] {
  const end = endRecord(data);
  const count = data.readUInt16LE(end + 10);
  if (count === 0xffff) throw new PluginFetchError("The archive has too many files");
  const budget = createBudget();
  const files: PluginFile[] = [];
  let at = data.readUInt32LE(end + 16);
  for (let index = 0; index < count; index++) {
    if (data.readUInt32LE(at) !== CENTRAL) throw new PluginFetchError("The archive is damaged");
    const lengths = [28, 30, 32].map((field) => data.readUInt16LE(at + field));
    const [nameLength = 0] = lengths;
    const name = data.toString("utf8", at + 46, at + 46 + nameLength);
    const entry = {
      flags: data.readUInt16LE(at + 8),
      method: data.readUInt16LE(at + 10),
      packed: data.readUInt32LE(at + 20),
      size: data.readUInt32LE(at + 24),
      mode: data.readUInt32LE(at + 38) >>> 16,
      offset: data.readUInt32LE(at + 42),
    };
    at += 46 + lengths.reduce((sum, length) => sum + length, 0);
    const parts = checkedParts(name);
    if (isSkipped(parts) || name.endsWith("/")) continue;
    if ((entry.mode & TYPE) === LINK) throw new PluginFetchError(`The archive has a link, ${JSON.stringify(name)}`);
    if (entry.flags & 1) throw new PluginFetchError("The archive is encrypted");
    budget.spend(entry.size);
    const path = parts.join("/");
    files.push({ path, executable: (entry.mode & 0o111) !== 0, bytes: () => unpack(data, entry) });
  }
  return files;
}

/** It is at the end, before a comment. */
function endRecord(data: Buffer): number {
  const lowest = Math.max(0, data.length - END_LENGTH - 0xffff);
  for (let at = data.length - END_LENGTH; at >= lowest; at--) if (data.readUInt32LE(at) === END) return at;
  throw new PluginFetchError("It is not a zip archive, or it is not complete");
}

interface Entry {
  readonly method: number;
  readonly packed: number;
  readonly size: number;
  readonly offset: number;
}

function unpack(data: Buffer, { method, packed, size, offset }: Entry): Uint8Array {
  try {
    if (data.readUInt32LE(offset) !== LOCAL) throw new RangeError();
    const start = offset + 30 + data.readUInt16LE(offset + 26) + data.readUInt16LE(offset + 28);
    const content = data.subarray(start, start + packed);
    if (method === 0 && content.length === size) return content;
    // Whatever the archive says, not more than it said.
    const bytes =
      method === 8 ? inflateRawSync(content, { maxOutputLength: Math.min(size + 1, LIMITS.fileBytes) }) : undefined;
    if (bytes?.length === size) return bytes;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
  throw new PluginFetchError("The archive is damaged, or packed in a way that is not supported");
}

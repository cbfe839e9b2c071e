// Reads a tar archive from memory, packed with gzip or not. A link to another file of the archive becomes a copy of it;
// other links are left out.

import { gunzipSync } from "node:zlib";
import {
  checkedParts,
  createBudget,
  isSkipped,
  LIMITS,
  linkTarget,
  PluginFetchError,
  type PluginFile,
} from "./plugin-files.ts";

const BLOCK = 512;

export const isGzip = (bytes: Uint8Array) => bytes[0] === 0x1f && bytes[1] === 0x8b;

export function readTar(archive: Uint8Array): readonly PluginFile[] {
  const data = Buffer.from(isGzip(archive) ? inflated(archive) : archive);
  const budget = createBudget();
  const files = new Map<string, PluginFile>();
  const links: { path: string; target: string }[] = [];
  let longName: string | undefined;
  for (let at = 0; at + BLOCK <= data.length && data[at] !== 0;) {
    const header = at;
    const field = (from: number, length: number) => textAt(data, header + from, length);
    const size = numberAt(field(124, 12));
    const type = String.fromCharCode(data[header + 156] ?? 0);
    const start = header + BLOCK;
    if (start + size > data.length) throw new PluginFetchError("The archive is damaged");
    at = start + Math.ceil(size / BLOCK) * BLOCK;
    const content = data.subarray(start, start + size);
    if (type === "g") continue;
    if (type === "x" || type === "L") {
      longName = type === "x" ? paxPath(content.toString("utf8")) : textAt(content, 0, size);
      continue;
    }
    const prefix = field(257, 5) === "ustar" ? field(345, 155) : "";
    const name = longName ?? (prefix === "" ? field(0, 100) : `${prefix}/${field(0, 100)}`);
    longName = undefined;
    const parts = checkedParts(name);
    if (isSkipped(parts) || type === "5") continue;
    const path = parts.join("/");
    if (type === "1" || type === "2") {
      const target = field(157, 100);
      links.push({ path, target: (type === "1" ? target : linkTarget(path, target)) ?? "" });
      budget.spend(0);
    } else if (type === "0" || type === "\0") {
      budget.spend(size);
      const executable = (numberAt(field(100, 8)) & 0o111) !== 0;
      files.set(path, { path, executable, bytes: () => content });
    } else throw new PluginFetchError(`The archive has something that is not a file, ${JSON.stringify(path)}`);
  }
  for (const { path, target } of links) {
    const found = files.get(target);
    if (found === undefined || files.has(path)) continue;
    budget.spend(found.bytes().length);
    files.set(path, { ...found, path });
  }
  return [...files.values()];
}

function inflated(archive: Uint8Array): Uint8Array {
  try {
    return gunzipSync(archive, { maxOutputLength: LIMITS.totalBytes });
  } catch {
    throw new PluginFetchError("The archive is damaged or too large");
  }
}

const textAt = (data: Buffer, at: number, length: number) =>
  data.toString("utf8", at, at + length).replace(/\0.*$/s, "");

function numberAt(text: string): number {
  const value = Number.parseInt(text.trim() || "0", 8);
  if (!Number.isSafeInteger(value) || value < 0) throw new PluginFetchError("The archive is damaged");
  return value;
}

/** Records are `LENGTH key=value\n`. */
function paxPath(text: string): string | undefined {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(text)?.[1];
}

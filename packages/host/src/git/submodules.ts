// The submodules of a repository, from its index: `git status` goes into each of them, and obeys its settings there.
// Reads the file; git is never started.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { readRegularFile } from "../files/regular-file.ts";

/** About a million files. */
const MAX_INDEX_BYTES = 128 * 1024 * 1024;
const MAX_INDEX_FILES = 16;
/** The mode of a submodule's entry, 160000 in octal. */
const GITLINK = 0xe000;
const GITLINK_BYTES = Buffer.from([0, 0, 0xe0, 0]);

/** Paths below the work tree; null when the index cannot be read. A repository without an index has none. */
export function submodulePaths(gitFolder: string, hash: "sha1" | "sha256"): readonly string[] | null {
  const paths: string[] = [];
  for (const file of indexFiles(gitFolder)) {
    const found = gitlinksIn(file, hash);
    if (found === null) return null;
    paths.push(...found);
  }
  return paths;
}

/** The index, and what a split one shares. */
function indexFiles(gitFolder: string): string[] {
  try {
    const names = readdirSync(gitFolder).filter((name) => name === "index" || name.startsWith("sharedindex."));
    return names.slice(0, MAX_INDEX_FILES).map((name) => join(gitFolder, name));
  } catch {
    return [];
  }
}

function gitlinksIn(file: string, hash: "sha1" | "sha256"): string[] | null {
  try {
    if (statSync(file).size > MAX_INDEX_BYTES) return null;
    const { buffer, byteOffset, byteLength } = readRegularFile(file, MAX_INDEX_BYTES);
    const bytes = Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
    // The quick answer for nearly all repositories.
    return bytes.includes(GITLINK_BYTES) ? readEntries(bytes, hash === "sha1" ? 20 : 32) : [];
  } catch {
    return null;
  }
}

/** See gitformat-index(5). Throws, by reading past the end, on what is no index. */
function readEntries(bytes: Buffer, hashLength: number): string[] | null {
  const version = bytes.readUInt32BE(4);
  if (bytes.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4) return null;
  const links: string[] = [];
  let name = Buffer.alloc(0);
  let at = 12;
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const start = at;
    const mode = bytes.readUInt32BE(start + 24);
    const flags = bytes.readUInt16BE(start + 40 + hashLength);
    at = start + 42 + hashLength + (version > 2 && (flags & 0x4000) !== 0 ? 2 : 0);
    let kept = 0;
    if (version === 4) {
      const stripped = readOffset(bytes, at);
      at = stripped.to;
      kept = name.length - stripped.value;
    }
    const end = bytes.indexOf(0, at);
    if (end < 0 || kept < 0) return null;
    if (version === 4 || mode === GITLINK) name = Buffer.concat([name.subarray(0, kept), bytes.subarray(at, end)]);
    if (mode === GITLINK) links.push(name.toString());
    // Older versions fill entries up to a multiple of eight bytes.
    at = version === 4 ? end + 1 : start + (((end - start + 8) >> 3) << 3);
  }
  return links;
}

/** A number as git writes it in packs: seven bits to a byte, each further byte adding one. */
function readOffset(bytes: Buffer, from: number): { value: number; to: number } {
  let at = from;
  let byte = bytes.readUInt8(at++);
  let value = byte & 127;
  while ((byte & 128) !== 0) {
    byte = bytes.readUInt8(at++);
    value = (value + 1) * 128 + (byte & 127);
  }
  return { value, to: at };
}

// Lists the submodules of a repository from its index: `git status` enters each one and follows its settings.
// Reads the file; never runs git.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { readRegularFile } from "../files/regular-file.ts";

/** Enough for about a million files. */
const MAX_INDEX_BYTES = 128 * 1024 * 1024;
const MAX_INDEX_FILES = 16;
/** The mode of a submodule entry, octal 160000. */
const GITLINK = 0xe000;
const GITLINK_BYTES = Buffer.from([0, 0, 0xe0, 0]);

/** Paths relative to the work tree; null if the index cannot be read. Empty without an index. */
export function submodulePaths(gitFolder: string, hash: "sha1" | "sha256"): readonly string[] | null {
  const paths: string[] = [];
  for (const file of indexFiles(gitFolder)) {
    const found = gitlinksIn(file, hash);
    if (found === null) return null;
    paths.push(...found);
  }
  return paths;
}

/** The index and the shared files of a split index. */
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
    // Most repositories have no submodules; this is the fast path.
    return bytes.includes(GITLINK_BYTES) ? readEntries(bytes, hash === "sha1" ? 20 : 32) : [];
  } catch {
    return null;
  }
}

/** See gitformat-index(5). Reading past the end throws if it is not an index. */
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
    // Older versions pad entries to a multiple of eight bytes.
    at = version === 4 ? end + 1 : start + (((end - start + 8) >> 3) << 3);
  }
  return links;
}

/** Git's offset encoding: seven bits per byte, plus one for each continuation byte. */
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

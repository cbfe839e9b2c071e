// Saves tool output that is too long to show to a private file.

import { closeSync, writeFile } from "node:fs";
import { join } from "node:path";
import { createOwnFile } from "@keelson/disk/own-files";

/** Longest text to keep, in UTF-16 units. */
export const MAX_SPILL = 64 * 1024 * 1024;

/** Writes a new file named after the call and returns its path. */
export async function spillResult(
  dir: string,
  id: string,
  content: string | Uint8Array,
  extension = typeof content === "string" ? "txt" : "bin",
): Promise<string> {
  const name = id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 100) || "result";
  for (let attempt = 1; ; attempt++) {
    const path = join(dir, `${name}${attempt === 1 ? "" : `-${attempt}`}.${extension}`);
    try {
      const fd = createOwnFile(path);
      try {
        await writeAll(fd, typeof content === "string" ? bounded(content) : content);
      } finally {
        closeSync(fd);
      }
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST" || attempt >= MAX_ATTEMPTS) throw error;
    }
  }
}

const MAX_ATTEMPTS = 100;

const writeAll = (fd: number, content: string | Uint8Array) =>
  new Promise<void>((done, fail) => writeFile(fd, content, (error) => (error ? fail(error) : done())));

function bounded(text: string): string {
  if (text.length <= MAX_SPILL) return text;
  const kept = text.slice(0, MAX_SPILL).toWellFormed();
  return `${kept}\n[${text.length - MAX_SPILL} characters left out]\n`;
}

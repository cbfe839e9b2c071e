// Saves tool output that is too long to show to a private file.

import { constants } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";

/** Longest text to keep, in UTF-16 units. */
export const MAX_SPILL = 64 * 1024 * 1024;

/** Writes a new file named after the call and returns its path. */
export async function spillResult(
  dir: string,
  id: string,
  content: string | Uint8Array,
  extension = typeof content === "string" ? "txt" : "bin",
): Promise<string> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const name = id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 100) || "result";
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  for (let attempt = 1; ; attempt++) {
    const path = join(dir, `${name}${attempt === 1 ? "" : `-${attempt}`}.${extension}`);
    try {
      await using file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
      await file.writeFile(typeof content === "string" ? bounded(content) : content);
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST" || attempt >= MAX_ATTEMPTS) throw error;
    }
  }
}

const MAX_ATTEMPTS = 100;

function bounded(text: string): string {
  if (text.length <= MAX_SPILL) return text;
  const kept = text.slice(0, MAX_SPILL).toWellFormed();
  return `${kept}\n[${text.length - MAX_SPILL} characters left out]\n`;
}

// Adds a note of the user to an instruction file: CLAUDE.md or CLAUDE.local.md of the project, or the user's own. Links
// are not followed: a project could point one anywhere.

import { closeSync, constants, fstatSync, mkdirSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";

export const MEMORY_SCOPES = ["project", "local", "user"] as const;
export type MemoryScope = (typeof MEMORY_SCOPES)[number];

const MOST_CHARACTERS = 10_000;

export interface MemoryPlaces {
  /** The folder where the session works. */
  readonly root: string;
  readonly configDir: string;
}

export function memoryFile(scope: MemoryScope, { root, configDir }: MemoryPlaces): string {
  if (scope === "user") return join(configDir, "CLAUDE.md");
  return join(root, scope === "local" ? "CLAUDE.local.md" : "CLAUDE.md");
}

/** Appends the note as a point of a list. Throws an error for the user. */
export function addMemory(text: string, scope: MemoryScope, places: MemoryPlaces): string {
  const note = text.replace(/\r\n?/g, "\n").trim();
  if (note === "") throw new Error("The note is empty");
  if (note.length > MOST_CHARACTERS) throw new Error(`The note is longer than ${MOST_CHARACTERS} characters`);
  const path = memoryFile(scope, places);
  if (scope === "user") mkdirSync(places.configDir, { recursive: true, mode: 0o700 });
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDWR } = constants;
  let fd: number;
  try {
    fd = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, scope === "project" ? 0o644 : 0o600);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`Cannot write ${path}: ${code === "ELOOP" ? "it is a link" : message}`, { cause: error });
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new Error(`Cannot write ${path}: it is not a regular file`);
    // One write, so that lines of two programs do not mix.
    writeSync(fd, `${endsLine(fd, stat.size) ? "" : "\n"}- ${note.replaceAll("\n", "\n  ")}\n`);
  } finally {
    closeSync(fd);
  }
  return path;
}

function endsLine(fd: number, size: number): boolean {
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(fd, last, 0, 1, size - 1);
  return last[0] === 0x0a;
}

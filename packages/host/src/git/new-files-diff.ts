// Files that git does not know yet, as a diff that adds them. Reads regular files only, and follows no links.

import { closeSync } from "node:fs";
import { join } from "node:path";
import { openRegularFile, readBytes } from "../files/regular-file.ts";

/** Of one file. What is longer is named, not shown. */
const MAX_BYTES = 256 * 1024;

export interface NewFilesDiff {
  readonly diff: string;
  /** Of those that are text. */
  readonly lines: ReadonlyMap<string, { readonly lines: { readonly added: number; readonly removed: number } }>;
  /** Some did not fit. */
  readonly isCut: boolean;
}

/** `paths` are relative to `folder`. At most `room` characters: files that do not fit are left out. */
export function newFilesDiff(folder: string, paths: readonly string[], room: number): NewFilesDiff {
  const lines = new Map<string, { readonly lines: { readonly added: number; readonly removed: number } }>();
  let diff = "";
  for (const path of paths) {
    const { text, added } = newFileDiff(folder, path);
    if (diff.length + text.length > room) return { diff, lines, isCut: true };
    diff += text;
    if (added !== undefined) lines.set(path, { lines: { added, removed: 0 } });
  }
  return { diff, lines, isCut: false };
}

function newFileDiff(folder: string, path: string): { readonly text: string; readonly added?: number } {
  const name = diffName(`b/${path}`);
  const head = `diff --git ${diffName(`a/${path}`)} ${name}\nnew file mode 100644\n`;
  const bytes = bytesOf(join(folder, path));
  if (bytes === undefined || bytes.includes(0)) return { text: `${head}Binary files /dev/null and ${name} differ\n` };
  if (bytes.length === 0) return { text: head, added: 0 };
  const lines = new TextDecoder().decode(bytes).split("\n");
  const endsInLine = lines.at(-1) === "";
  if (endsInLine) lines.pop();
  const added = lines.map((line) => `+${line}\n`).join("");
  const end = endsInLine ? "" : "\\ No newline at end of file\n";
  const text = `${head}--- /dev/null\n+++ ${name}\n@@ -0,0 +1,${lines.length} @@\n${added}${end}`;
  return { text, added: lines.length };
}

/** Undefined if it is no file but a link, cannot be read, or is too long to show. */
function bytesOf(path: string): Uint8Array | undefined {
  try {
    const { fd, stat } = openRegularFile(path, path);
    try {
      return stat.size > MAX_BYTES ? undefined : readBytes(fd, stat.size);
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

/** As git writes names that a header could not have. */
export const diffName = (name: string) => (/["\\\u0000-\u001f]/.test(name) ? JSON.stringify(name) : name);

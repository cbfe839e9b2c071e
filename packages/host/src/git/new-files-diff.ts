// Files that git does not know yet, as a diff that adds them. Reads regular files only, and follows no links.

import { closeSync } from "node:fs";
import { join } from "node:path";
import { openRegularFile, readBytes } from "../files/regular-file.ts";

/** Of one file. What is longer is named, not shown. */
const MAX_BYTES = 256 * 1024;

/** `paths` are relative to `folder`. At most `room` characters: files that do not fit are left out. */
export function newFilesDiff(folder: string, paths: readonly string[], room: number): string {
  let text = "";
  for (const path of paths) {
    const next = newFileDiff(folder, path);
    if (text.length + next.length > room) break;
    text += next;
  }
  return text;
}

function newFileDiff(folder: string, path: string): string {
  const name = quoted(`b/${path}`);
  const head = `diff --git ${quoted(`a/${path}`)} ${name}\nnew file mode 100644\n`;
  const bytes = bytesOf(join(folder, path));
  if (bytes === undefined || bytes.includes(0)) return `${head}Binary files /dev/null and ${name} differ\n`;
  if (bytes.length === 0) return head;
  const lines = new TextDecoder().decode(bytes).split("\n");
  const endsInLine = lines.at(-1) === "";
  if (endsInLine) lines.pop();
  const added = lines.map((line) => `+${line}\n`).join("");
  const end = endsInLine ? "" : "\\ No newline at end of file\n";
  return `${head}--- /dev/null\n+++ ${name}\n@@ -0,0 +1,${lines.length} @@\n${added}${end}`;
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
const quoted = (name: string) => (/["\\\u0000-\u001f]/.test(name) ? JSON.stringify(name) : name);

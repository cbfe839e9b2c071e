// The names in a folder, for a mention of it.

import type { ToolContext } from "@keelson/engine";
import { isAbsolute, join, relative, sep } from "node:path";
import { printableLine } from "@keelson/protocol";

const MAX_NAMES = 200;

/** One name per line, folders with a slash. Names that the rules hide are not shown. */
export async function listFolder(folder: string, { files, mayRead }: ToolContext): Promise<string> {
  const names = (await files.names(folder)).toSorted();
  const lines: string[] = [];
  let at = 0;
  for (; at < names.length && lines.length < MAX_NAMES; at++) {
    const path = join(folder, names[at]!);
    if (!mayRead(path)) continue;
    const kind = (await files.stat(path).catch(() => null))?.kind;
    lines.push(`${plainName(names[at]!)}${kind === "directory" ? "/" : ""}`);
  }
  if (at < names.length) lines.push(`(${names.length - at} more are not shown)`);
  return lines.length === 0 ? "(none)" : lines.join("\n");
}

export function contains(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

// A name may contain line breaks, which would look like further names.
const plainName = printableLine;

// Where nested skills may be: a session without skills looks there too, so this is apart from what reads them.

import { join, relative, sep } from "node:path";

/** The folders between `top` and `folder`, outermost first. */
export function foldersBetween(top: string, folder: string): readonly string[] {
  const inner = relative(top, folder);
  if (inner === "" || inner === ".." || inner.startsWith(`..${sep}`)) return [];
  const names = inner.split(sep);
  return names.map((_, at) => join(top, ...names.slice(0, at + 1)));
}

// Where the key of a `key: value` or `key = value` line is.

import type { Grammar } from "./grammar.ts";

export function keyLength(
  line: string,
  keys: NonNullable<Grammar["keys"]>,
): { readonly from: number; readonly to: number } | undefined {
  let from = 0;
  while (line[from] === " " || (line[from] === "-" && line[from + 1] === " ")) from++;
  let to = from;
  while (to < line.length && KEY.test(line[to]!)) to++;
  if (to === from) return undefined;
  let end = to;
  while (line[end] === " ") end++;
  const sign = line[end];
  if (keys === "=" ? sign !== "=" : keys === ":" ? sign !== ":" : sign !== ":" && sign !== "=") return undefined;
  // `a:hover` and `http://` are no keys; `width:10px` is one.
  const next = line[end + 1];
  if (keys === ":" && next !== undefined && next !== " " && !/;\s*$/.test(line.slice(-4))) return undefined;
  return { from, to };
}

const KEY = /[\p{L}\p{N}_.$/-]/u;

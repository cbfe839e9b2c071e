// The `pages` parameter of Read: "3" or "10-20".

import { ToolError } from "@keelson/engine";

const MAX_PAGES = 20;

export interface PageRange {
  readonly first: number;
  readonly last: number;
}

export function parsePages(pages: string): PageRange {
  const [, from, to] = /^\s*(\d{1,9})(?:\s*-\s*(\d{1,9}))?\s*$/.exec(pages) ?? [];
  const first = Number(from);
  const last = to === undefined ? first : Number(to);
  if (from === undefined || first < 1 || last < first) {
    throw new ToolError(
      `Invalid pages parameter: "${pages}". Use formats like "1-5", "3", or "10-20". Pages are 1-indexed.`,
    );
  }
  if (last - first >= MAX_PAGES) {
    throw new ToolError(
      `Page range "${pages}" exceeds maximum of ${MAX_PAGES} pages per request. Please use a smaller range.`,
    );
  }
  return { first, last };
}

// Pages of a PDF: the `pages` parameter of Read ("3" or "10-20"), and how selected pages are shown.

import { ToolError } from "@keelson/engine";
import type { ContentBlock } from "@keelson/protocol";
import type { PageRead, PagesRead } from "./output.ts";

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

/** The pages as text, or each as an image after its number. */
export function showPages({ pages, totalPages, file }: PagesRead): string | ContentBlock[] {
  if (pages.some(({ image }) => image)) {
    const text = `PDF pages read: ${file.filePath} (${pages.length === 1 ? "1 page" : `${pages.length} pages`})`;
    return [{ type: "text", text }, ...pages.flatMap(imageBlocks)];
  }
  const head = `PDF pages read: ${file.filePath} (${pages.length} of ${totalPages})`;
  const body = pages.map(
    ({ page, text }) => `<page number="${page}">\n${text || "(no text on this page; it may be an image)"}\n</page>`,
  );
  const hint = pages.some(({ text }) => !text)
    ? ["Pages are shown as images if poppler's pdftoppm is installed; it was not found, or it could not draw them."]
    : [];
  return [head, ...body, ...hint].join("\n\n");
}

function imageBlocks({ page, image }: PageRead): ContentBlock[] {
  if (!image) return [];
  return [
    { type: "text", text: `Page ${page}` },
    { type: "image", source: { type: "base64", media_type: image.type, data: image.base64 } },
  ];
}

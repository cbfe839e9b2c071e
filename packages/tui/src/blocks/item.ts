// The rows of an item.

import { renderMarkdown } from "../markdown/render-markdown.ts";
import type { DrawnAnswer, StreamItem } from "../stream/item.ts";
import { renderCall } from "./calls/call.ts";
import { folded } from "./fold.ts";
import { behindSign, sign, speaker, type ItemLook } from "./look.ts";
import { renderBoundary, renderNote, renderOutput } from "./notes.ts";
import { renderPicture } from "./picture.ts";
import { promptRows } from "./prompt.ts";
import { renderReads } from "./calls/reads.ts";
import { renderThinking } from "./thinking.ts";

/** As it is now. Of an answer, the rows that were not taken yet, at most `maxRows`; for viewers, all of it. */
export function renderItem(item: StreamItem, look: ItemLook, maxRows = Infinity): string[] {
  switch (item.kind) {
    case "prompt":
      return promptRows(item, look);
    case "answer":
      return answerItem(item, look, maxRows);
    case "thinking":
      return renderThinking(item, look);
    case "call":
      return renderCall(item, look);
    case "reads":
      return renderReads(item, look);
    case "note":
      return renderNote(item, look);
    case "output":
      return renderOutput(item, look);
    case "boundary":
      return renderBoundary(item, look);
    case "picture":
      return renderPicture(item, look);
    case "summary":
      return look.whole ? summaryRows(item.text, look) : [];
  }
}

/** The rows of an answer that are final and were not returned before. */
export function answerRows(item: DrawnAnswer, look: ItemLook): string[] {
  return withBullet(item.text.take(textColumns(look), look.theme), look, { begun: item.text.begun });
}

function answerItem(item: DrawnAnswer, look: ItemLook, maxRows: number): string[] {
  if (look.whole)
    return withBullet(renderMarkdown(item.text.whole(), textColumns(look), look.theme), look, { begun: false });
  return withBullet(item.text.tail(textColumns(look), look.theme, maxRows), look, { begun: item.text.begun });
}

const textColumns = ({ columns }: ItemLook) => Math.max(1, columns - 2);

function withBullet(rows: readonly string[], look: ItemLook, { begun }: { begun: boolean }): string[] {
  // An answer does not begin with empty rows.
  const first = begun ? 0 : rows.findIndex((row) => row !== "");
  if (first === -1) return [];
  return rows.slice(first).map((row, index) => {
    if (index === 0 && !begun) return `${speaker("answer", sign("bullet", look.theme), look)} ${row}`;
    return row === "" ? "" : `  ${row}`;
  });
}

function summaryRows(text: string, look: ItemLook): string[] {
  const { theme, columns } = look;
  const head = behindSign(theme.paint("dim", sign("spark", theme)), theme.paint("dim", "For the model"), columns);
  return [...head, ...folded(text, Math.max(1, columns - 2), look).map((row) => `  ${theme.paint("dim", row)}`)];
}

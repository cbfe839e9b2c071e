// A whole Markdown text as rows: the same rows as the stream gives for it.

import type { Theme } from "../theme/theme.ts";
import { MarkdownStream } from "./markdown-stream.ts";

export function renderMarkdown(text: string, columns: number, theme: Theme): string[] {
  const stream = new MarkdownStream();
  stream.push(text);
  stream.end();
  return stream.take(columns, theme);
}

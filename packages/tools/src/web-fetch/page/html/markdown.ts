// Turns HTML into Markdown for a model to read: headings, lists, links, code, tables. One pass over the tags, with a
// stack of limited depth; elements that change nothing in the text are not kept on it.

import { isHidden, type Extent } from "./hidden.ts";
import { attributesOf, htmlTokens, type HtmlToken } from "./tokens.ts";
import { MarkdownWriter } from "./writer.ts";

export interface MarkdownPage {
  readonly title: string;
  readonly markdown: string;
}

/** Below this length, what surrounds the content is probably all there is. */
const SHORT = 200;

/** `url` is where the page came from; its links are relative to that. */
export function htmlToMarkdown(html: string, url: string): MarkdownPage {
  const article = convert(html, url, "article");
  if (article.markdown.length >= SHORT) return article;
  const content = convert(html, url, "content");
  return content.markdown.length > article.markdown.length ? content : article;
}

function convert(html: string, url: string, extent: Extent): MarkdownPage {
  const writer = new MarkdownWriter(url);
  let skipping: { readonly name: string; depth: number } | undefined;
  for (const token of htmlTokens(html)) {
    if (skipping) {
      const isOver = leavesHidden(token, skipping);
      if (isOver) skipping = undefined;
      if (isOver !== "before") continue;
    }
    if (token.kind === "text") writer.text(token.text);
    else if (token.kind === "close") writer.close(token.name);
    else {
      const attributes = attributesOf(token.attributes);
      if (VOID.has(token.name)) writer.single(token.name, attributes);
      else if (isHidden(token.name, attributes, extent)) skipping = { name: token.name, depth: 1 };
      else writer.open(token.name, attributes);
    }
  }
  return { title: writer.title(), markdown: writer.finish() };
}

/** Whether this token ends the hidden element: with it, or before it. */
function leavesHidden(token: HtmlToken, hidden: { name: string; depth: number }): "with" | "before" | undefined {
  if (token.kind === "text" || token.name !== hidden.name) return undefined;
  if (token.kind === "open" && OPTIONAL_END.has(token.name)) return "before";
  hidden.depth += token.kind === "open" ? 1 : -1;
  return hidden.depth === 0 ? "with" : undefined;
}

const VOID = new Set("area base br col embed frame hr img input link meta param source track wbr".split(" "));
const OPTIONAL_END = new Set("p li dt dd tr td th option thead tbody".split(" "));

// The text of a page as the model reads it: Markdown from HTML, other text as it is. Bytes that are no text stay bytes.

import { byteOrderMark, decodeText } from "./charset.ts";
import { htmlToMarkdown } from "./html/markdown.ts";

export interface PageBytes {
  readonly url: string;
  readonly contentType: string;
  readonly body: Uint8Array;
}

export type PageText =
  | {
      readonly kind: "text";
      readonly title: string;
      readonly text: string;
      /** Only the beginning of the page was read. */
      readonly cut: boolean;
    }
  /** `type` is the media type, without parameters. */
  | { readonly kind: "binary"; readonly type: string };

/** Longer HTML is converted up to here: it is more than any model reads. */
const MAX_HTML = 5_000_000;
const SNIFFED_BYTES = 4_096;
const MEDIA_TYPE = /^[\w.+-]{1,60}\/[\w.+-]{1,100}$/;

export function pageText({ url, contentType, body }: PageBytes): PageText {
  const type = contentType.split(";", 1)[0]!.trim().toLowerCase();
  if (!isText(type, body)) return { kind: "binary", type: MEDIA_TYPE.test(type) ? type : "application/octet-stream" };
  const text = decodeText(body, contentType);
  if (!isHtml(type, text)) return { kind: "text", title: "", text: visibleText(text), cut: false };
  const { title, markdown } = htmlToMarkdown(text.slice(0, MAX_HTML), url);
  return { kind: "text", title: visibleText(title), text: visibleText(markdown), cut: text.length > MAX_HTML };
}

function isText(type: string, body: Uint8Array): boolean {
  if (byteOrderMark(body)) return true;
  const isNamedText =
    type.startsWith("text/") || /[/+](?:json|xml|yaml|javascript|ecmascript|x-sh|toml|graphql|ld\+json)$/.test(type);
  const isUnnamed = type === "" || type === "application/octet-stream" || type === "unknown/unknown";
  return (isNamedText || (isUnnamed && body.length > 0)) && !body.subarray(0, SNIFFED_BYTES).includes(0);
}

function isHtml(type: string, text: string): boolean {
  if (type === "text/html" || type === "application/xhtml+xml") return true;
  return (
    type !== "text/markdown" && /^\s*(?:<!--[^]{0,500}?-->\s*)?<(?:!doctype html|html[\s>])/i.test(text.slice(0, 2_000))
  );
}

/** Without characters that no one sees: controls, marks that reorder text, and tags that only a model would read. */
export function visibleText(text: string): string {
  return text.toWellFormed().replace(UNSEEN, "");
}

const UNSEEN =
  /(?![\n\t])[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

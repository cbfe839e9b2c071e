// Translates blocks of content to parts of a Chat Completions message. Pure.

import { isBlank, isObject, isText, readField, type CacheControl, type ContentBlock } from "@keelson/protocol";
import { THINKING_REFUSED } from "../../fit/refused-thinking.ts";

export type ChatPart =
  | { readonly type: "text"; readonly text: string; readonly cache_control?: CacheControl }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } }
  | { readonly type: "file"; readonly file: { readonly filename: string; readonly file_data: string } };

export interface ContentOptions {
  readonly images: boolean;
  readonly documents: boolean;
  /** The server does not fetch pictures from their addresses. */
  readonly noLinks?: boolean;
  /** Keep the marks of what to cache. */
  readonly cacheMarks: boolean;
  /** Reports something that the model cannot be shown. */
  lose(what: Loss): void;
}

export type Loss = "picture" | "document" | "thinking" | "tools";

export const LOSS_TEXTS: Readonly<Record<Loss, string>> = {
  picture:
    'This model cannot be shown pictures; it reads a note in their place. If it can read them, set "images": true for it in "providers"',
  document: "This model cannot be shown PDF files; it reads a note in their place",
  thinking: THINKING_REFUSED,
  tools: "The server does not accept this many tools, so the model is offered only the first of them",
};

const NO_PICTURE = "[picture not shown: this model reads text only]";
const NO_DOCUMENT = "[PDF not shown: this model cannot read PDF files]";

/** The parts of a prompt. Blocks that only their own provider understands have none. */
export function partsOf(blocks: readonly ContentBlock[], options: ContentOptions): ChatPart[] {
  return blocks.flatMap((block) => {
    if (isBlank(block)) return [];
    if (isText(block)) return [textPart(block.text, options.cacheMarks ? block.cache_control : undefined)];
    if (block.type === "image") return [picture(block, options)];
    if (block.type === "document") return [document(block, options)];
    return block.type === "tool_reference"
      ? [textPart(`Tool "${String(readField(block, "tool_name"))}" is loaded.`)]
      : [];
  });
}

export function textPart(text: string, mark?: CacheControl): ChatPart {
  return { type: "text", text: text.toWellFormed(), ...(mark ? { cache_control: mark } : {}) };
}

const PICTURES = /^image\/(?:png|jpeg|gif|webp)$/;

function picture(block: ContentBlock, { images, noLinks, lose }: ContentOptions): ChatPart {
  const source = sourceOf(block);
  const isShown = source.type === "url" ? !noLinks : PICTURES.test(source.media_type);
  if (!images || !isShown) {
    lose("picture");
    const what = source.media_type || "a linked picture";
    return textPart(images ? `[picture not shown: ${what} is not supported]` : NO_PICTURE);
  }
  return { type: "image_url", image_url: { url: urlOf(source) } };
}

function document(block: ContentBlock, { documents, lose }: ContentOptions): ChatPart {
  const source = sourceOf(block);
  if (source.type === "text") return textPart(/\S/.test(source.data) ? source.data : "(empty document)");
  if (!documents || source.media_type !== "application/pdf") {
    lose("document");
    return textPart(NO_DOCUMENT);
  }
  const title = readField(block, "title");
  const filename = typeof title === "string" && title !== "" ? title : "document.pdf";
  return { type: "file", file: { filename, file_data: urlOf(source) } };
}

interface Source {
  readonly type: string;
  readonly media_type: string;
  readonly data: string;
  readonly url: string;
}

function sourceOf(block: ContentBlock): Source {
  const source = readField(block, "source");
  const { type, media_type, data, url } = isObject(source) ? source : {};
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  return { type: text(type), media_type: text(media_type), data: text(data), url: text(url) };
}

const urlOf = ({ type, url, media_type, data }: Source) => (type === "url" ? url : `data:${media_type};base64,${data}`);

/** A string where there is only text: not every server understands parts. */
export function chatContent(parts: readonly ChatPart[]): string | readonly ChatPart[] {
  if (!parts.every((part) => part.type === "text" && !part.cache_control)) return parts;
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("\n\n");
}

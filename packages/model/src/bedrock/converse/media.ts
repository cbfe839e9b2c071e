// Pictures and documents as Converse wants them. What a model cannot read becomes a sentence, and a loss to report.

import { blocksOf, isObject, isToolResult, readField, type ContentBlock, type ModelMessage } from "@keelson/protocol";
import type { ModelTraits } from "../../dialect.ts";
import type { MediaBlock, TextMember } from "./wire.ts";

const PICTURES: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpeg",
  "image/jpg": "jpeg",
  "image/gif": "gif",
  "image/webp": "webp",
};

const DOCUMENTS: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "text/csv": "csv",
  "text/html": "html",
  "text/plain": "txt",
  "text/markdown": "md",
};

const MOST_DOCUMENTS = 5;
const EMPTY = "(empty document)";

/** Translates the pictures and documents of one request. */
export class ConverseMedia {
  readonly losses = new Set<string>();
  readonly #traits: ModelTraits;
  readonly #names = new Set<string>();
  /** How many documents are left out before the first that is sent. */
  #surplus: number;

  /** `documents` is how many there are in the request: the service accepts few, and the last ones matter most. */
  constructor(traits: ModelTraits, documents: number) {
    this.#traits = traits;
    this.#surplus = Math.max(0, documents - MOST_DOCUMENTS);
  }

  translate(block: ContentBlock): TextMember | MediaBlock {
    const given = readField(block, "source");
    const source = isObject(given) ? given : {};
    const { type, media_type: mediaType, data } = source;
    if (block.type === "document" && type === "text" && typeof data === "string")
      return { text: /\S/.test(data) ? data : EMPTY };
    const isPicture = block.type === "image";
    if (isPicture && !this.#traits.images)
      return this.#lost(
        "[picture not shown: this model reads text only]",
        "This model reads text only, so it does not see pictures",
      );
    if (!isPicture && !this.#traits.documents)
      return this.#lost(
        "[document not shown: this model does not read documents]",
        "This model does not read documents, so it does not see them",
      );
    const formats = isPicture ? PICTURES : DOCUMENTS;
    const format = formats[String(mediaType)];
    if (type !== "base64" || typeof data !== "string" || !format) {
      const what = isPicture ? "picture" : "document";
      const kind = type === "base64" ? String(mediaType) : "linked files";
      return this.#lost(
        `[${what} not shown: ${kind} cannot be sent to this model]`,
        `Bedrock does not accept ${kind}, so the model does not see that ${what}`,
      );
    }
    if (!isPicture && this.#surplus-- > 0)
      return this.#lost(
        `[document not shown: only the last ${MOST_DOCUMENTS} are sent]`,
        `Bedrock accepts ${MOST_DOCUMENTS} documents in a request, so the model does not see older ones`,
      );
    if (isPicture) return { image: { format, source: { bytes: data } } };
    return { document: { format, name: this.#nameOf(block), source: { bytes: data } } };
  }

  /** A name of letters, digits, single spaces, hyphens and brackets, used once in a request. */
  #nameOf(block: ContentBlock): string {
    const title = String(readField(block, "title") ?? "");
    const plain =
      title
        .replace(/[^a-zA-Z0-9\s\-()[\]]+/g, " ")
        .replace(/\s+/g, " ")
        .trim()
        .slice(0, 180) || "Document";
    let name = plain;
    for (let number = 2; this.#names.has(name); number++) name = `${plain} (${number})`;
    this.#names.add(name);
    return name;
  }

  #lost(text: string, loss: string): TextMember {
    this.losses.add(loss);
    return { text };
  }
}

/** How many documents a conversation has, in prompts and in results. */
export function countDocuments(messages: readonly ModelMessage[]): number {
  const inside = (blocks: readonly ContentBlock[]): number =>
    blocks.reduce((sum, block) => {
      if (isToolResult(block)) return sum + inside(blocksOf(block.content));
      const source = readField(block, "source");
      return sum + (block.type === "document" && isObject(source) && source["type"] !== "text" ? 1 : 0);
    }, 0);
  return messages.reduce((sum, { content }) => sum + (typeof content === "string" ? 0 : inside(content)), 0);
}

export function isMediaBlock(block: ContentBlock): boolean {
  return block.type === "image" || block.type === "document";
}

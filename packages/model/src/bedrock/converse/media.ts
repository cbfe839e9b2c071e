// Pictures and documents as Converse wants them. What a model cannot read becomes a sentence, and a loss to report.

import { isObject, type ContentBlock } from "@keelson/protocol";
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

/** Translates the pictures and documents of one request. */
export class ConverseMedia {
  readonly losses = new Set<string>();
  readonly #traits: ModelTraits;
  readonly #names = new Set<string>();

  constructor(traits: ModelTraits) {
    this.#traits = traits;
  }

  translate(block: ContentBlock): TextMember | MediaBlock {
    const given = block["source" as never] as unknown;
    const source = isObject(given) ? given : {};
    const { type, media_type: mediaType, data } = source;
    if (block.type === "document" && type === "text" && typeof data === "string") return { text: data };
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
    if (isPicture) return { image: { format, source: { bytes: data } } };
    return { document: { format, name: this.#nameOf(block), source: { bytes: data } } };
  }

  /** A name of letters, digits, single spaces, hyphens and brackets, used once in a request. */
  #nameOf(block: ContentBlock): string {
    const title = String(block["title" as never] ?? "");
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

export function isMediaBlock(block: ContentBlock): boolean {
  return block.type === "image" || block.type === "document";
}

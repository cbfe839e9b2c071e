// Pictures and documents as parts that Gemini reads. What it cannot read becomes a sentence, and a loss to report.

import { isObject, readField, type ContentBlock } from "@keelson/protocol";
import type { ModelTraits } from "../../dialect.ts";
import type { Part } from "../wire.ts";

const PICTURES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"]);
/** What a functionResponse may carry. */
const IN_RESULTS: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/webp", "application/pdf"]);

/** A part with data, or with text that stands for it. Losses are added to the list. */
export function mediaPart(block: ContentBlock, traits: ModelTraits, losses: Set<string>): Part {
  const given = readField(block, "source");
  const source = isObject(given) ? given : {};
  const { type, media_type: mediaType, data } = source;
  if (block.type === "document" && type === "text" && typeof data === "string")
    return { text: /\S/.test(data) ? data : "(empty document)" };
  const mimeType = mediaType === "image/jpg" ? "image/jpeg" : String(mediaType);
  const isPicture = block.type === "image";
  const lost = (text: string, loss: string): Part => {
    losses.add(loss);
    return { text };
  };
  if (isPicture && !traits.images)
    return lost(
      "[picture not shown: this model reads text only]",
      "This model reads text only, so it does not see pictures",
    );
  if (!isPicture && !traits.documents)
    return lost("[document not shown: this model cannot read PDF files]", "This model cannot read PDF documents");
  const isKnown = isPicture ? PICTURES.has(mimeType) : mimeType === "application/pdf";
  if (type !== "base64" || typeof data !== "string" || !isKnown) {
    const what = isPicture ? "picture" : "document";
    return lost(
      `[${what} not shown: this model cannot read ${type === "base64" ? mimeType : `it from a ${String(type)}`}]`,
      `Gemini cannot read ${type === "base64" ? mimeType : "linked files"}, so the model does not see that ${what}`,
    );
  }
  return { inlineData: { mimeType, data } };
}

export function fitsInResult({ inlineData }: Part): boolean {
  return inlineData !== undefined && IN_RESULTS.has(inlineData.mimeType);
}

export function isMedia(block: ContentBlock): boolean {
  return block.type === "image" || block.type === "document";
}

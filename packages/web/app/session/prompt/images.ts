// Images of a prompt.

import { blocksOf, isObject, type ContentBlock } from "@keelson/protocol";
import type { PromptContent } from "../live-session.ts";

export interface AttachedImage {
  readonly block: ContentBlock;
  /** `data:`: the page loads nothing from elsewhere. */
  readonly url: string;
}

export function attachedImage(media_type: string, data: string): AttachedImage {
  return {
    block: { type: "image", source: { type: "base64", media_type, data } },
    url: `data:${media_type};base64,${data}`,
  };
}

export function imagesIn(content: PromptContent): readonly AttachedImage[] {
  return blocksOf(content).flatMap((block) => {
    const source: unknown = block.type === "image" ? Reflect.get(block, "source") : undefined;
    if (!isObject(source) || source["type"] !== "base64") return [];
    return [attachedImage(String(source["media_type"]), String(source["data"]))];
  });
}

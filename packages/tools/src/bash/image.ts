// Recognizes output that is an image as a data URI. Pure.

import type { ContentBlock } from "@keelson/protocol";

/** The largest image the API accepts, in base64 characters. */
export const MAX_IMAGE_LENGTH = 7 * 1024 * 1024;

export function startsLikeImage(text: string): boolean {
  return /^\s*data:image\/[\w.+-]+;base64,/i.test(text.slice(0, 200));
}

export function imageBlock(text: string): ContentBlock | null {
  const [, type, data] = /^data:(image\/(?:png|jpeg|gif|webp));base64,([A-Za-z0-9+/=\s]+)$/i.exec(text.trim()) ?? [];
  if (!type || !data) return null;
  return {
    type: "image",
    source: { type: "base64", media_type: type.toLowerCase(), data: data.replaceAll(/\s/g, "") },
  };
}

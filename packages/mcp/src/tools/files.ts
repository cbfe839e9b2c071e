// The binary parts of what a server sends. They are saved, so that the model can pass them on to other tools, and images
// are made to fit the API, which would reject this and every later request for one that is damaged or too large.

import { isObject } from "@keelson/protocol";
import { imageType, isBase64 } from "@keelson/protocol/image-type";

/** Returns the path of the new file. */
export type SaveFile = (file: {
  readonly server: string;
  readonly mimeType?: string;
  readonly bytes: Uint8Array;
}) => Promise<string>;

/** Makes an image fit the API. Rejects if it is damaged. */
export type FitImage = (bytes: Uint8Array) => Promise<FittedImage>;

export interface FittedImage {
  readonly base64: string;
  readonly mediaType: string;
}

export interface PartHandling {
  readonly save?: SaveFile | undefined;
  readonly fit?: FitImage | undefined;
}

/** What is known of the part with this base64 text. */
export type KnownParts = (base64: string) => KnownPart | undefined;

export interface KnownPart {
  /** Where it is saved. */
  readonly path?: string;
  /** The image to show instead; null if it cannot be shown. */
  readonly image?: FittedImage | null;
}

const MAX_PARTS = 50;

/** One part after the other: several large images at once would need gigabytes. */
export async function handleParts(
  content: readonly unknown[],
  server: string,
  { save, fit }: PartHandling,
): Promise<KnownParts> {
  const parts = new Map<string, KnownPart>();
  for (const { data, mimeType } of content.flatMap(binaryOf)) {
    if (parts.size >= MAX_PARTS) break;
    if (parts.has(data)) continue;
    const isImage = imageType(data) !== undefined;
    const type = imageType(data) ?? mimeType;
    const bytes = Buffer.from(data, "base64");
    const path = await save?.({ server, ...(type === undefined ? {} : { mimeType: type }), bytes }).catch(noPath);
    const image = isImage ? await fit?.(bytes).catch(() => null) : undefined;
    parts.set(data, { ...(path === undefined ? {} : { path }), ...(image === undefined ? {} : { image }) });
  }
  return (base64) => parts.get(base64);
}

const noPath = () => undefined;

export const hasBinary = (content: readonly unknown[]): boolean => content.some((item) => binaryOf(item).length > 0);

interface Binary {
  readonly data: string;
  readonly mimeType?: string;
}

function binaryOf(item: unknown): readonly Binary[] {
  if (!isObject(item)) return [];
  switch (item["type"]) {
    case "image":
      return binary(isObject(item["source"]) ? item["source"] : item, "data");
    case "audio":
      return binary(item, "data");
    case "resource":
      return isObject(item["resource"]) ? binary(item["resource"], "blob") : [];
    default:
      return [];
  }
}

function binary(from: Record<string, unknown>, field: "data" | "blob"): readonly Binary[] {
  const data = from[field];
  const mimeType = from["mimeType"] ?? from["media_type"];
  if (typeof data !== "string" || data === "" || !isBase64(data)) return [];
  return [{ data, ...(typeof mimeType === "string" ? { mimeType } : {}) }];
}

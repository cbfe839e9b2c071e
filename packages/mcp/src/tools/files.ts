// Saves the binary parts of a tool result, so that the model can pass them on to other tools. A part that cannot be
// saved is only described.

import { isObject } from "@keelson/protocol";
import { imageType, isBase64 } from "./image-type.ts";

/** Returns the path of the new file. */
export type SaveFile = (file: {
  readonly server: string;
  readonly mimeType?: string;
  readonly bytes: Uint8Array;
}) => Promise<string>;

/** Where the bytes of this base64 text are saved; undefined if they are not. */
export type SavedFiles = (base64: string) => string | undefined;

const MAX_FILES = 50;

export async function saveFiles(content: readonly unknown[], server: string, save: SaveFile): Promise<SavedFiles> {
  const paths = new Map<string, string>();
  for (const { data, mimeType } of content.flatMap(binaryOf)) {
    if (paths.size >= MAX_FILES) break;
    if (paths.has(data)) continue;
    const type = imageType(data) ?? mimeType;
    const file = { server, ...(type === undefined ? {} : { mimeType: type }), bytes: Buffer.from(data, "base64") };
    const path = await save(file).catch(() => undefined);
    if (path !== undefined) paths.set(data, path);
  }
  return (base64) => paths.get(base64);
}

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

// Turns the result of an MCP tool call into content blocks for the model. Content that the API would reject, or that is
// too large, becomes a short text note. Running the output through again does not change it.

import { isObject, isText, type ContentBlock } from "@keelson/protocol";
import { isDeeperThan } from "./depth.ts";
import { imageType } from "./image-type.ts";

export interface CallResult {
  /** The content as the server sent it, for clients. */
  readonly raw: readonly unknown[];
  readonly blocks: readonly ContentBlock[];
  readonly structured?: unknown;
  readonly isError: boolean;
}

const MAX_BLOCKS = 1_000;
const MAX_DEPTH = 1_000;
const TOO_DEEP = "[value omitted: nested too deeply]";
const MAX_IMAGES = 20;
const MAX_IMAGE_LENGTH = 5 * 1024 * 1024;
const MAX_IMAGES_LENGTH = 10 * 1024 * 1024;

/** Undefined if this is not a tool result. */
export function readResult(result: unknown, server: string): CallResult | undefined {
  if (!isObject(result)) return undefined;
  const { content, structuredContent, isError, toolResult } = result;
  if (isDeeperThan(MAX_DEPTH, result)) {
    return { raw: [text(TOO_DEEP)], blocks: [text(TOO_DEEP)], isError: isError === true };
  }
  const structured = structuredContent ?? undefined;
  // The first version of the protocol called it `toolResult`.
  if (content === undefined && structured === undefined && toolResult === undefined) return undefined;
  const raw: readonly unknown[] = Array.isArray(content) ? content : [content ?? toolResult].filter(isPresent);
  return {
    raw,
    blocks: blocksFrom(raw, server),
    ...(structured === undefined ? {} : { structured }),
    isError: isError === true,
  };
}

export function blocksFrom(content: unknown, server: string): ContentBlock[] {
  const items: readonly unknown[] = Array.isArray(content) ? content : [content];
  const images = { left: MAX_IMAGES, bytes: MAX_IMAGES_LENGTH };
  const blocks = items.slice(0, MAX_BLOCKS).flatMap((item) => blocksOfItem(item, server, images));
  const more = items.length - MAX_BLOCKS;
  if (more > 0) blocks.push(text(`[${more} more content items omitted]`));
  // The API rejects empty text blocks.
  return blocks.filter((block) => !isText(block) || block.text !== "");
}

export function joinedText(blocks: readonly ContentBlock[]): string {
  return blocks
    .filter(isText)
    .map((block) => block.text)
    .join("\n");
}

interface ImageBudget {
  left: number;
  bytes: number;
}

function blocksOfItem(item: unknown, server: string, images: ImageBudget): ContentBlock[] {
  if (typeof item === "string") return [text(item)];
  if (!isObject(item)) return [text(asJson(item))];
  switch (item["type"]) {
    case "text":
      return [text(typeof item["text"] === "string" ? item["text"] : asJson(item["text"]))];
    case "image": {
      const source = isObject(item["source"]) ? item["source"] : item;
      return [image(source["data"], source["mimeType"] ?? source["media_type"], images)];
    }
    case "audio":
      return [text(`[Audio (${stringOrUnknown(item["mimeType"])}): this type cannot be shown]`)];
    case "resource":
      return resource(item["resource"], server, images);
    case "resource_link": {
      const { name, uri, description } = item;
      const about = typeof description === "string" ? ` (${description})` : "";
      return [text(`[Resource link: ${stringOrUnknown(name)}] ${stringOrUnknown(uri)}${about}`)];
    }
    default:
      return [text(asJson(item))];
  }
}

function resource(value: unknown, server: string, images: ImageBudget): ContentBlock[] {
  if (!isObject(value)) return [text(asJson(value))];
  const from = `[Resource from ${server} at ${stringOrUnknown(value["uri"])}]`;
  const { text: plain, blob, mimeType } = value;
  if (typeof plain === "string") return [text(`${from} ${plain}`)];
  if (typeof blob !== "string") return [text(from)];
  if (imageType(blob) !== undefined) return [text(from), image(blob, mimeType, images)];
  return [text(`${from} ${byteLength(blob)} bytes of ${stringOrUnknown(mimeType)}: this type cannot be shown`)];
}

/** An image block with its real media type, or a note if the API would reject the image. */
function image(data: unknown, claimed: unknown, images: ImageBudget): ContentBlock {
  const type = typeof data === "string" ? imageType(data) : undefined;
  if (typeof data !== "string" || type === undefined) {
    return text(`[Image (${stringOrUnknown(claimed)}): cannot be shown; only PNG, JPEG, GIF and WebP can]`);
  }
  if (data.length > MAX_IMAGE_LENGTH || data.length > images.bytes || images.left === 0) {
    return text(`[Image (${type}, ${byteLength(data)} bytes): omitted, too large or too many images]`);
  }
  images.left--;
  images.bytes -= data.length;
  return { type: "image", source: { type: "base64", media_type: type, data } };
}

const isPresent = (value: unknown) => value !== undefined && value !== null;

const text = (value: string) => ({ type: "text", text: value.toWellFormed() }) as const;

const byteLength = (base64: string) => Math.floor((base64.length * 3) / 4);

const stringOrUnknown = (value: unknown) =>
  typeof value === "string" && value !== "" ? value.slice(0, 2_000) : "unknown";

export function asJson(value: unknown): string {
  return isDeeperThan(MAX_DEPTH, value) ? TOO_DEEP : (JSON.stringify(value) ?? "");
}

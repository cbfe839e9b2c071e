// Turns the result of an MCP tool call into content blocks for the model. Content that the API would reject, or that is
// too large, becomes a short text note. Running the output through again does not change it.

import { isObject, isText, type ContentBlock, type JsonObject } from "@keelson/protocol";
import { isDeeperThan } from "./depth.ts";
import { handleParts, hasBinary, type KnownParts, type PartHandling } from "./files.ts";
import { imageType } from "@keelson/protocol/image-type";

export interface CallResult {
  /** The content as the server sent it, for clients. */
  readonly raw: readonly unknown[];
  readonly blocks: readonly ContentBlock[];
  readonly structured?: unknown;
  /** What the server says about the result, for clients. */
  readonly meta?: JsonObject;
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
  const { content, structuredContent, isError, toolResult, _meta: meta } = result;
  if (isDeeperThan(MAX_DEPTH, result)) {
    return { raw: [text(TOO_DEEP)], blocks: [text(TOO_DEEP)], isError: isError === true };
  }
  const structured = structuredContent ?? undefined;
  if (content === undefined && structured === undefined && toolResult === undefined && !isEmpty(result))
    return undefined;
  // The first version of the protocol called it `toolResult`.
  const raw: readonly unknown[] = Array.isArray(content) ? content : [content ?? toolResult].filter(isPresent);
  return {
    raw,
    blocks: blocksFrom(raw, server),
    ...(structured === undefined ? {} : { structured }),
    ...(isObject(meta) && Object.keys(meta).length > 0 ? { meta: meta as JsonObject } : {}),
    isError: isError === true,
  };
}

/** Tools that have nothing to say may leave out the content. */
const isEmpty = (result: object) => Object.keys(result).every((key) => ABOUT_RESULT.includes(key));

const ABOUT_RESULT = ["_meta", "isError", "resultType"];

/** With its binary parts saved and made to fit. */
export async function handledBlocks(content: unknown, server: string, handling: PartHandling): Promise<ContentBlock[]> {
  const items: readonly unknown[] = Array.isArray(content) ? content : [content];
  return blocksFrom(items, server, hasBinary(items) ? await handleParts(items, server, handling) : undefined);
}

export function blocksFrom(content: unknown, server: string, parts: KnownParts = () => undefined): ContentBlock[] {
  const items: readonly unknown[] = Array.isArray(content) ? content : [content];
  const context = { server, parts, left: MAX_IMAGES, bytes: MAX_IMAGES_LENGTH };
  const blocks = items.slice(0, MAX_BLOCKS).flatMap((item) => blocksOfItem(item, context));
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

interface Context {
  readonly server: string;
  readonly parts: KnownParts;
  /** The images that may still be shown, and their bytes. */
  left: number;
  bytes: number;
}

function blocksOfItem(item: unknown, context: Context): ContentBlock[] {
  if (typeof item === "string") return [text(item)];
  if (!isObject(item)) return [text(asJson(item))];
  switch (item["type"]) {
    case "text":
      return [text(typeof item["text"] === "string" ? item["text"] : asJson(item["text"]))];
    case "image": {
      const source = isObject(item["source"]) ? item["source"] : item;
      return image(source["data"], source["mimeType"] ?? source["media_type"], context);
    }
    case "audio": {
      const { data, mimeType } = item;
      const saved = savedAs(`[Audio from ${context.server}]`, data, mimeType, context);
      return [text(saved ?? `[Audio (${stringOrUnknown(mimeType)}): this type cannot be shown]`)];
    }
    case "resource":
      return resource(item["resource"], context);
    case "resource_link": {
      const { name, uri, description } = item;
      const about = typeof description === "string" ? ` (${description})` : "";
      return [text(`[Resource link: ${stringOrUnknown(name)}] ${stringOrUnknown(uri)}${about}`)];
    }
    default:
      return [text(asJson(item))];
  }
}

function resource(value: unknown, context: Context): ContentBlock[] {
  if (!isObject(value)) return [text(asJson(value))];
  const from = `[Resource from ${context.server} at ${stringOrUnknown(value["uri"])}]`;
  const { text: plain, blob, mimeType } = value;
  if (typeof plain === "string") return [text(`${from} ${plain}`)];
  if (typeof blob !== "string") return [text(from)];
  if (imageType(blob) !== undefined) return [text(from), ...image(blob, mimeType, context)];
  const saved = savedAs(from, blob, mimeType, context);
  return [
    text(saved ?? `${from} ${byteLength(blob)} bytes of ${stringOrUnknown(mimeType)}: this type cannot be shown`),
  ];
}

/** An image block with its real media type, or a note if the API would reject the image. */
function image(data: unknown, claimed: unknown, context: Context): ContentBlock[] {
  const type = typeof data === "string" ? imageType(data) : undefined;
  const saved = savedAs(`[Image from ${context.server}]`, data, type ?? claimed, context);
  const known = typeof data === "string" ? context.parts(data) : undefined;
  if (type !== undefined && known?.image === null) {
    return [text(saved ?? `[Image (${type}): omitted, damaged or too large]`)];
  }
  if (typeof data !== "string" || type === undefined) {
    return [text(saved ?? `[Image (${stringOrUnknown(claimed)}): cannot be shown; only PNG, JPEG, GIF and WebP can]`)];
  }
  const shown = known?.image ?? { base64: data, mediaType: type };
  const { length } = shown.base64;
  if (length > MAX_IMAGE_LENGTH || length > context.bytes || context.left === 0) {
    const omitted = `[Image (${type}, ${byteLength(data)} bytes): omitted, too large or too many images]`;
    return [text(saved ?? omitted)];
  }
  context.left--;
  context.bytes -= length;
  return [
    { type: "image", source: { type: "base64", media_type: shown.mediaType, data: shown.base64 } },
    ...(known?.path === undefined ? [] : [text(`[Image: source: ${known.path}]`)]),
  ];
}

function savedAs(from: string, data: unknown, mimeType: unknown, { parts }: Context): string | undefined {
  const path = typeof data === "string" ? parts(data)?.path : undefined;
  return path === undefined ? undefined : `${from} ${binaryNote(mimeType, byteLength(data as string), path)}`;
}

/** How the model learns of a file with binary content. */
function binaryNote(mimeType: unknown, bytes: number, path: string): string {
  const type = typeof mimeType === "string" && mimeType !== "" ? mimeType.slice(0, 200) : "unknown type";
  return `Binary content (${type}, ${bytes} bytes) saved to ${path}`;
}

const isPresent = (value: unknown) => value !== undefined && value !== null;

const text = (value: string) => ({ type: "text", text: value.toWellFormed() }) as const;

const byteLength = (base64: string) => Math.floor((base64.replace(/={1,2}$/, "").length * 3) / 4);

const stringOrUnknown = (value: unknown) =>
  typeof value === "string" && value !== "" ? value.slice(0, 2_000) : "unknown";

export function asJson(value: unknown): string {
  return isDeeperThan(MAX_DEPTH, value) ? TOO_DEEP : (JSON.stringify(value) ?? "");
}

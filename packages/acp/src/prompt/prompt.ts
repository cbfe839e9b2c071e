// What was typed in an editor, to a prompt of the session. Blocks keep their order; texts and mentions that follow each other
// become one text, so that a command keeps its arguments and a sentence its files.

import { isObject, type ContentBlock } from "@keelson/protocol";
import { attachedText } from "@keelson/protocol/attached";
import { imageType, isBase64, type ImageType } from "@keelson/protocol/image-type";
import { mentionOf } from "./mention.ts";

/** `problem`: it is not a prompt, in words for the editor (an error −32602). */
export type EditorPrompt =
  { readonly content: readonly ContentBlock[]; readonly problem?: undefined } | { readonly problem: string };

export function readEditorPrompt(blocks: unknown): EditorPrompt {
  if (!Array.isArray(blocks)) return { problem: '"prompt" is not a list of content blocks' };
  const content: ContentBlock[] = [];
  for (const [index, block] of blocks.entries()) {
    const read = readBlock(block);
    if (typeof read === "string") return { problem: `Block ${index} of the prompt: ${read}` };
    add(content, read);
  }
  const some = content.filter((block) => block.type !== "text" || String(Reflect.get(block, "text")).trim() !== "");
  return some.length === 0 ? { problem: "The prompt is empty" } : { content: some };
}

/** A mention needs a space on both sides. */
type ReadBlock = ContentBlock | { readonly type: "mention"; readonly mention: string };

/** What is wrong with it, or the block. */
function readBlock(block: unknown): ReadBlock | string {
  if (!isObject(block)) return "it is not an object";
  const { type, text, data, mimeType, uri, name } = block;
  switch (type) {
    case "text":
      return typeof text === "string" ? { type, text } : '"text" is missing';
    case "image":
      if (typeof data !== "string" || typeof mimeType !== "string") return '"data" or "mimeType" is missing';
      return readImage(data, mimeType) ?? "its data is not a PNG, JPEG, GIF or WebP image in base64";
    case "resource_link": {
      if (typeof uri !== "string" || uri === "") return '"uri" is missing';
      const mention = mentionOf(uri);
      if (mention !== undefined) return { type: "mention", mention };
      const label = typeof name === "string" && name !== "" && name !== uri ? `${name} (${uri})` : uri;
      return { type: "mention", mention: asLabel(label) };
    }
    case "resource":
      return isObject(block["resource"]) ? readResource(block["resource"]) : '"resource" is missing';
    default:
      return `the type ${JSON.stringify(type) ?? "(none)"} is not known; use text, image, resource or resource_link`;
  }
}

/** Titles of pages and addresses come from others: they mention no files, and are no commands. */
const asLabel = (text: string) => text.replaceAll(/(?<=^|[\s([{])@/g, "\\@").replace(/^\s*(?=[/!#])/, "\\");

function readResource({ uri, text, blob, mimeType }: Record<string, unknown>): ContentBlock | string {
  if (typeof uri !== "string") return '"uri" of the resource is missing';
  if (typeof text === "string") return { type: "text", text: attachedText(uri, text) };
  if (typeof blob !== "string") return "the resource has neither text nor blob";
  const kind = typeof mimeType === "string" ? mimeType.toLowerCase() : "";
  const image = readImage(blob, kind);
  if (image !== undefined) return image;
  if (kind === "application/pdf" && isBase64(blob))
    return { type: "document", source: { type: "base64", media_type: kind, data: blob } };
  if (!/^text\/|[/+](?:json|xml|yaml|toml|javascript)$/.test(kind)) {
    return { type: "text", text: attachedText(uri, `(${kind || "unknown type"}, not readable as text)`) };
  }
  const decoded = decode(blob);
  return decoded === undefined ? "its blob is not base64" : { type: "text", text: attachedText(uri, decoded) };
}

/** A model that gets any other type refuses this request, and every later one of the conversation. Labels can be wrong. */
function readImage(data: string, label: string): ContentBlock | undefined {
  const labelled = IMAGE_TYPES.find((type) => type === label.toLowerCase() && isBase64(data));
  const type = imageType(data) ?? labelled;
  return type === undefined ? undefined : { type: "image", source: { type: "base64", media_type: type, data } };
}

const IMAGE_TYPES: readonly ImageType[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

function decode(blob: string): string | undefined {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(blob), (char) => char.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

function add(content: ContentBlock[], block: ReadBlock): void {
  const last = content.at(-1);
  const before = last?.type === "text" ? String(Reflect.get(last, "text")) : undefined;
  if (block.type === "mention") {
    const mention = String(Reflect.get(block, "mention"));
    const text = before === undefined ? mention : `${before}${/[\s([{]$/.test(before) ? "" : " "}${mention}`;
    content.splice(content.length - (before === undefined ? 0 : 1), 1, { type: "text", text: `${text} ` });
    return;
  }
  if (block.type !== "text" || before === undefined) {
    content.push(block as ContentBlock);
    return;
  }
  const text = String(Reflect.get(block, "text"));
  // The blank behind a mention is there only so that a word does not become part of it.
  const joined = before.endsWith(" ") && /^\s/.test(text) ? before.slice(0, -1) : before;
  content.splice(-1, 1, { type: "text", text: joined + text });
}

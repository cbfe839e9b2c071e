// Images of prompts and results, as the messages of the session carry them. None is ever loaded from an address.

import { blocksOf, isObject, isToolResult, type ContentBlock, type Outbound } from "@keelson/protocol";
import type { PageItem } from "../session/items.ts";

export class Pictures {
  readonly #ofCalls = new Map<string, readonly string[]>();
  readonly #ofPrompts = new WeakMap<PageItem, readonly string[]>();
  #newest: readonly string[] = [];
  #chars = 0;

  /** Sees each message before the reader does. */
  see(message: Outbound): void {
    if (message.type !== "user" || message.parent_tool_use_id !== null) return;
    const blocks = blocksOf(message.message.content);
    this.#newest = this.#urlsIn(blocks);
    for (const { tool_use_id: id, content } of blocks.filter(isToolResult)) {
      const urls = this.#urlsIn(blocksOf(content));
      if (urls.length > 0) this.#ofCalls.set(id, urls);
    }
  }

  /** The prompt is that of the message that was seen last. */
  added(item: PageItem): void {
    if (item.kind === "prompt" && item.images > 0) this.#ofPrompts.set(item, this.#newest);
  }

  of(item: PageItem): readonly string[] {
    return (item.kind === "call" ? this.#ofCalls.get(item.id) : this.#ofPrompts.get(item)) ?? [];
  }

  #urlsIn(blocks: readonly ContentBlock[]): readonly string[] {
    const urls = blocks.flatMap((block) => (block.type === "image" ? urlOf(Reflect.get(block, "source")) : []));
    this.#chars += urls.reduce((sum, url) => sum + url.length, 0);
    return this.#chars > MOST_CHARS ? [] : urls;
  }
}

/** Beyond this many characters of images, their number is shown. */
const MOST_CHARS = 64 * 1024 * 1024;
const TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

function urlOf(source: unknown): readonly string[] {
  if (!isObject(source)) return [];
  const { type, media_type: kind, data } = source;
  if (type !== "base64" || typeof kind !== "string" || !TYPES.has(kind) || typeof data !== "string") return [];
  return /^[A-Za-z0-9+/]+={0,2}$/.test(data) ? [`data:${kind};base64,${data}`] : [];
}

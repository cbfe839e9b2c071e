// The web tools of a session. What fetches, reads and searches is loaded at the first call.

import type { Tool } from "@keelson/engine";
import { webFetchTool, type WebPages } from "@keelson/tools";
import type { WebParts } from "./web-parts.ts";

export function webTools(parts: WebParts): Tool[] {
  let pages: Promise<WebPages> | undefined;
  const loadPages = async () => (await import("./web-pages.ts")).openWebPages(parts);
  return [webFetchTool({ answer: async (...call) => (await (pages ??= loadPages())).answer(...call) })];
}

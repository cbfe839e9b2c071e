// The web tools of a session. What fetches, reads and searches is loaded at the first call.

import type { Tool } from "@keelson/engine";
import { webFetchTool, webSearchTool, type WebPages, type WebSearches } from "@keelson/tools";
import type { WebParts } from "./web-parts.ts";

export function webTools(parts: WebParts): Tool[] {
  let pages: Promise<WebPages> | undefined;
  let searches: Promise<WebSearches> | undefined;
  const loadPages = async () => (await import("./web-pages.ts")).openWebPages(parts);
  const loadSearches = async () => (await import("./search/web-searches.ts")).openWebSearches(parts);
  return [
    webFetchTool({ answer: async (...call) => (await (pages ??= loadPages())).answer(...call) }),
    webSearchTool({ search: async (...call) => (await (searches ??= loadSearches())).search(...call) }),
  ];
}

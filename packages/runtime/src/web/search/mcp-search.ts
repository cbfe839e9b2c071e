// A search by an MCP tool. Servers answer in many shapes: a list of pages as JSON, or text.

import { isObject, tryParse } from "@keelson/protocol";
import { visibleText } from "@keelson/tools/web";
import { mayShow, textWithin } from "./search-domains.ts";
import type { SearchRequest, SearchResults } from "./web-searches.ts";

export async function searchWithTool(
  call: (query: string) => Promise<string>,
  search: SearchRequest,
  query: string,
): Promise<SearchResults> {
  const text = visibleText(await call(query));
  const pages = pagesIn(tryParse(text));
  const shown = pages?.filter(({ url }) => mayShow(url, search));
  const links = { tool_use_id: search.toolUseId, content: (shown ?? []).map(({ title, url }) => ({ title, url })) };
  if (shown === undefined) return { results: [textWithin(text, search)], searchCount: 1 };
  const about = shown.flatMap(({ title, url, text: said }) => (said === "" ? [] : [`${title} (${url}): ${said}`]));
  return { results: about.length === 0 ? [links] : [links, about.join("\n\n")], searchCount: 1 };
}

interface FoundPage {
  readonly title: string;
  readonly url: string;
  readonly text: string;
}

/** The pages in a list, or in a list that an object has. Undefined if it is something else. */
function pagesIn(value: unknown): FoundPage[] | undefined {
  const lists = Array.isArray(value) ? [value] : isObject(value) ? Object.values(value).filter(Array.isArray) : [];
  for (const list of lists) {
    const pages = list.filter(isObject).flatMap((page) => {
      const url = firstText(page, ["url", "link", "href"]);
      if (url === undefined) return [];
      const text = firstText(page, ["snippet", "description", "content", "text", "summary"]) ?? "";
      return [{ url, title: firstText(page, ["title", "name"]) ?? url, text }];
    });
    if (pages.length > 0) return pages;
  }
  return undefined;
}

function firstText(page: Readonly<Record<string, unknown>>, names: readonly string[]): string | undefined {
  return names.map((name) => page[name]).find((value): value is string => typeof value === "string" && value !== "");
}

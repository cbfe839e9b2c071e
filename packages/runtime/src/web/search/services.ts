// Search services over HTTP: SearXNG, Brave and Tavily. Their addresses and keys come from the user's own settings.

import { ToolError } from "@keelson/engine";
import { isObject, tryParse } from "@keelson/protocol";
import { visibleText } from "@keelson/tools/web";
import { mayShow, queryWithDomains } from "./search-domains.ts";
import type { SearchRequest, SearchResults } from "./web-searches.ts";

export interface ServiceOptions {
  readonly provider: string;
  /** Of SearXNG; for the others it replaces their own address. */
  readonly url?: string;
  readonly apiKeyEnv?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  fetch(url: string | URL, init?: RequestInit): Promise<Response>;
  readonly timeoutMs?: number;
}

interface Service {
  readonly address?: string;
  /** The variable with the key; absent if none is needed. */
  readonly key?: string;
  request(call: { readonly base: string; readonly key: string; readonly search: SearchRequest }): {
    readonly url: URL;
    readonly init: RequestInit;
  };
  /** The list in the answer. */
  found(answer: Readonly<Record<string, unknown>>): unknown;
  /** The field with the text about a page. */
  readonly about: string;
}

const COUNT = 10;

const SERVICES: Readonly<Record<string, Service>> = {
  searxng: {
    request: ({ base, search }) => ({
      url: withQuery(base, "search", { q: queryWithDomains(search), format: "json" }),
      init: {},
    }),
    found: (answer) => answer["results"],
    about: "content",
  },
  brave: {
    address: "https://api.search.brave.com/res/v1/",
    key: "BRAVE_API_KEY",
    request: ({ base, key, search }) => ({
      url: withQuery(base, "web/search", { q: queryWithDomains(search), count: String(COUNT) }),
      init: { headers: { accept: "application/json", "x-subscription-token": key } },
    }),
    found: (answer) => (isObject(answer["web"]) ? answer["web"]["results"] : undefined),
    about: "description",
  },
  tavily: {
    address: "https://api.tavily.com/",
    key: "TAVILY_API_KEY",
    request: ({ base, key, search: { query, allowed, blocked } }) => ({
      url: withQuery(base, "search", {}),
      init: {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ query, max_results: COUNT, include_domains: allowed, exclude_domains: blocked }),
      },
    }),
    found: (answer) => answer["results"],
    about: "content",
  },
};

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 2 * 1024 * 1024;

/** Throws ToolError. Its message never holds the key. */
export async function searchService(search: SearchRequest, options: ServiceOptions): Promise<SearchResults> {
  const { provider, env, timeoutMs = TIMEOUT_MS } = options;
  const service = SERVICES[provider]!;
  const base = options.url ?? service.address;
  if (base === undefined || !/^https?:\/\//i.test(base) || !URL.canParse(base))
    throw new ToolError(`Set "webSearch.url" to the address of ${provider}, such as "http://localhost:8888"`);
  const variable = options.apiKeyEnv ?? service.key;
  const key = variable === undefined ? "" : env[variable]?.trim();
  if (key === undefined || (key === "" && service.key !== undefined))
    throw new ToolError(
      `Set ${variable} to the key for ${provider}, or "webSearch.apiKeyEnv" to the variable that has it`,
    );
  const { url, init } = service.request({ base, key, search });
  const late = AbortSignal.timeout(timeoutMs);
  try {
    // A redirect could take the key to another server.
    const response = await options.fetch(url, {
      ...init,
      redirect: "manual",
      signal: AbortSignal.any([search.signal, late]),
    });
    const text = await readText(response);
    if (!response.ok)
      throw new ToolError(`${provider} answered with HTTP ${response.status}${hint(provider, response.status)}`);
    const answer = tryParse(text);
    if (!isObject(answer))
      throw new ToolError(
        `${provider} answered with something other than JSON${provider === "searxng" ? '; add "json" to search.formats in its settings' : ""}`,
      );
    return resultsOf(service.found(answer), service.about, search);
  } catch (error) {
    if (error instanceof ToolError || search.signal.aborted) throw error;
    if (late.aborted) throw new ToolError(`${provider} did not answer within ${timeoutMs / 1_000} s`);
    const why = error instanceof Error ? error.message : String(error);
    throw new ToolError(
      `The request to ${provider} at ${url.host} failed: ${key === "" ? why : why.replaceAll(key, "…")}`,
    );
  }
}

const hint = (provider: string, status: number) =>
  provider === "searxng" && status === 403 ? ": its settings must list json under search.formats" : "";

/** Paths and parameters of the given address are kept. */
function withQuery(base: string, path: string, query: Readonly<Record<string, string>>): URL {
  const url = new URL(base);
  if (!url.pathname.endsWith(`/${path}`)) url.pathname = `${url.pathname.replace(/\/$/, "")}/${path}`;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_BYTES) throw new ToolError("The search service's answer is too long");
  }
  return Buffer.concat(chunks).toString("utf8");
}

const MAX_ABOUT = 600;

function resultsOf(list: unknown, about: string, search: SearchRequest): SearchResults {
  const pages = (Array.isArray(list) ? list : []).filter(isObject).flatMap((page) => {
    const [title, url, text] = [page["title"], page["url"], page[about]].map((value) => plain(value));
    return url && mayShow(url, search) ? [{ title: title || url, url, text: text ?? "" }] : [];
  });
  const shown = pages.slice(0, COUNT);
  const described = shown.filter(({ text }) => text !== "");
  const links = { tool_use_id: search.toolUseId, content: shown.map(({ title, url }) => ({ title, url })) };
  const texts = described.map(({ title, url, text }) => `${title} (${url}): ${text.slice(0, MAX_ABOUT)}`);
  return { results: texts.length === 0 ? [links] : [links, texts.join("\n\n")], searchCount: 1 };
}

/** Services mark the words that were searched for. */
function plain(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  return visibleText(value.slice(0, 5_000))
    .replace(/<\/?(?:strong|b|em|mark)>/gi, "")
    .replace(/\s+/g, " ")
    .trim();
}

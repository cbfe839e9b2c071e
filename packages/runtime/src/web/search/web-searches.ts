// WebSearch: chooses who searches (a setting, or the model's own server), limits how often, and applies domain lists.

import { ownEnvironment } from "@keelson/config";
import { ToolError, type ToolContext } from "@keelson/engine";
import { networkFetch } from "@keelson/model";
import type { WebSearches, WebSearchInput, WebSearchOutput } from "@keelson/tools";
import { smallModel } from "../../model/small-model.ts";
import type { WebParts } from "../web-parts.ts";
import { callTool } from "../call-tool.ts";
import { queryWithDomains, type DomainLists } from "./search-domains.ts";

/** What was found: links, and text about them. */
export type SearchResults = Pick<WebSearchOutput, "results" | "searchCount">;

export interface SearchRequest extends DomainLists {
  readonly query: string;
  readonly toolUseId: string;
  readonly signal: AbortSignal;
  /** Charges requests to a model to the agent that searches. */
  readonly charge?: ToolContext["charge"];
  /** Applies that agent's budgets to them. */
  readonly guard?: ToolContext["guard"];
}

interface SearchSettings {
  readonly provider?: string;
  readonly url?: string;
  readonly apiKeyEnv?: string;
  readonly tool?: string;
}

const DEFAULT_LIMIT = 200;

export function openWebSearches(parts: WebParts): WebSearches {
  const { storage } = parts;
  const { state, now } = storage;
  let made = 0;
  storage.onClear(() => void (made = 0));

  const count = () => {
    const limit = limitOf(state.snapshot.env["CLAUDE_CODE_MAX_WEB_SEARCHES_PER_SESSION"]);
    if (made >= limit)
      throw new ToolError(
        `This session has made ${limit} web searches, which is the limit (CLAUDE_CODE_MAX_WEB_SEARCHES_PER_SESSION)`,
      );
    made++;
  };
  return {
    async search(input, context): Promise<WebSearchOutput> {
      count();
      const started = now();
      const found = await searchWith(input, parts, context);
      return { query: input.query, ...found, durationSeconds: (now() - started) / 1_000 };
    },
  };
}

const limitOf = (value: string | undefined) => (/^\d{1,9}$/.test(value?.trim() ?? "") ? Number(value) : DEFAULT_LIMIT);

async function searchWith(input: WebSearchInput, parts: WebParts, context: ToolContext): Promise<SearchResults> {
  const { storage } = parts;
  const { snapshot } = storage.state;
  const { settings: all, env } = snapshot;
  const settings = (all["webSearch"] ?? {}) as SearchSettings;
  const { toolUseId, signal, charge, guard } = context;
  const request: SearchRequest = {
    query: input.query,
    allowed: input.allowed_domains ?? [],
    blocked: input.blocked_domains ?? [],
    toolUseId,
    signal,
    charge,
    guard,
  };
  if (settings.provider === "mcp") {
    if (!settings.tool)
      throw new ToolError('Set "webSearch.tool" to the MCP tool that searches, such as "mcp__web__search"');
    const { searchWithTool } = await import("./mcp-search.ts");
    const call = (query: string) => callTool(settings.tool!, query, parts, context);
    return searchWithTool(call, request, queryWithDomains(request));
  }
  if (settings.provider !== undefined && settings.provider !== "anthropic") {
    const { searchService } = await import("./services.ts");
    return searchService(request, {
      ...settings,
      provider: settings.provider,
      env,
      fetch: networkFetch(ownEnvironment(snapshot)),
    });
  }
  const model = await smallModel(storage);
  if (!SEARCHING_PROVIDERS.has(model.provider.id) && settings.provider === undefined) throw new ToolError(NO_SEARCH);
  const { searchOnServer } = await import("./server-search.ts");
  return searchOnServer(request, model, storage);
}

/** Whose servers search by themselves. */
const SEARCHING_PROVIDERS = new Set(["anthropic", "anthropic-aws"]);

const NO_SEARCH =
  'The model\'s provider cannot search the web. Set "webSearch" in the user settings, such as {"provider": "searxng", "url": "http://localhost:8888"}; other providers are "brave", "tavily" and "mcp"';

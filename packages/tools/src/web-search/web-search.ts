// WebSearch: searches the web and gives back links, with what the search says about them.

import { array, defineTool, object, optional, string, ToolError, type Tool, type ToolContext } from "@keelson/engine";
import description from "./web-search.md" with { type: "text" };

export interface WebSearchInput {
  readonly query: string;
  readonly allowed_domains?: readonly string[];
  readonly blocked_domains?: readonly string[];
}

export interface WebSearchLink {
  readonly title: string;
  readonly url: string;
}

export interface WebSearchOutput {
  readonly query: string;
  /** Links of one search, or text about them. */
  readonly results: readonly (string | { readonly tool_use_id: string; readonly content: readonly WebSearchLink[] })[];
  readonly durationSeconds: number;
  /** How many searches were made. */
  readonly searchCount?: number;
}

export interface WebSearches {
  /** Throws ToolError. */
  search(input: WebSearchInput, context: ToolContext): Promise<WebSearchOutput>;
}

export function webSearchTool(searches: WebSearches): Tool<WebSearchInput, WebSearchOutput> {
  return defineTool<WebSearchInput, WebSearchOutput>({
    name: "WebSearch",
    description,
    input: object({
      query: string("What to search for", { minLength: 2 }),
      allowed_domains: optional(array(string(), "Only results from these domains")),
      blocked_domains: optional(array(string(), "No results from these domains")),
    }),
    kind: "fetch",
    describe: (input) => `"${input.text("query")}"`,
    parallelSafe: true,

    // Some clients and prompts know a field that was never in the schema.
    repair: ({ num_results: _, ...input }) => input,
    check({ allowed_domains: allowed = [], blocked_domains: blocked = [] }) {
      // The wording is known to clients.
      if (allowed.length > 0 && blocked.length > 0)
        throw new ToolError("Error: Cannot specify both allowed_domains and blocked_domains in the same request");
    },
    // Rules are about the tool as a whole, not about what is searched for.
    access: () => ({ kind: "external" }),

    run: (input, context) => searches.search(input, context),
    show: showResults,
  });
}

/** Clients know the first line and how the last one begins. */
function showResults({ query, results }: WebSearchOutput): string {
  const parts = results.map((result) => {
    if (typeof result === "string") return result.trim();
    return result.content.length === 0 ? "No links found." : `Links: ${JSON.stringify(result.content)}`;
  });
  return [
    `Web search results for query: "${query}"`,
    ...(parts.length === 0 ? ["No links found."] : parts.filter((part) => part !== "")),
    "REMINDER: You MUST include the sources above in your answer to the user, as Markdown links.",
  ].join("\n\n");
}

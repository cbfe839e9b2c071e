// ToolSearch: loads tools whose schemas are withheld, by name or by what they do. The catalog knows the tools.

import { defineTool, number, object, optional, string, type Tool } from "@keelson/engine";
import type * as Index from "./tool-index.ts";
import type { DeferredTool, ToolIndex } from "./tool-index.ts";
import description from "./tool-search.md" with { type: "text" };

export type { DeferredTool };

export interface ToolCatalog {
  /** The tools whose schemas are withheld. The same array until they change. */
  search(): readonly DeferredTool[];
  /** Offers these tools to the model from the next request on. */
  load(names: readonly string[]): void;
  /** MCP servers that are still connecting. */
  connecting(): readonly string[];
  /** Resolves when no server is connecting any more, or after the catalog's own limit. */
  waitForServers(signal: AbortSignal): Promise<void>;
}

interface ToolSearchInput {
  readonly query: string;
  readonly max_results?: number;
}

interface ToolSearchOutput {
  readonly matches: readonly string[];
  readonly query: string;
  readonly total_deferred_tools: number;
  /** Servers whose tools could not be searched yet. */
  readonly pending_mcp_servers?: readonly string[];
}

const DEFAULT_RESULTS = 5;
const MAX_RESULTS = 100;
const MAX_WORDS = 20;
const SELECT = /^\s*select:/i;

interface ToolSearchTool extends Tool<ToolSearchInput, ToolSearchOutput> {
  /** Reads the tools of the catalog ahead of the first search. Takes a few milliseconds for a thousand tools. */
  prepare(): void;
}

export function toolSearchTool(catalog: ToolCatalog): ToolSearchTool {
  let known: { readonly tools: readonly DeferredTool[]; readonly index: ToolIndex } | undefined;
  const indexed = () => {
    const tools = catalog.search();
    return known?.tools === tools ? known : (known = { tools, index: searching().buildToolIndex(tools) });
  };

  const tool = defineTool<ToolSearchInput, ToolSearchOutput>({
    name: "ToolSearch",
    description,
    input: object({
      query: string(),
      max_results: optional(number(undefined, { default: DEFAULT_RESULTS })),
    }),
    kind: "search",
    describe: (input) => input.text("query"),
    parallelSafe: true,
    access: () => ({ kind: "none" }),

    async run({ query, max_results = DEFAULT_RESULTS }, { signal }) {
      const most = Math.min(Math.max(Math.floor(max_results) || DEFAULT_RESULTS, 1), MAX_RESULTS);
      let found = find(indexed().index, query, most);
      if (mustWait(found, query, catalog.connecting())) {
        await catalog.waitForServers(signal);
        found = find(indexed().index, query, most);
      }
      const matches = [...new Set(found.tools.map(({ name }) => name))];
      if (matches.length > 0) catalog.load(matches);
      const pending = catalog.connecting();
      return {
        matches,
        query,
        total_deferred_tools: indexed().tools.length,
        ...(pending.length > 0 ? { pending_mcp_servers: pending } : {}),
      };
    },

    show({ matches, pending_mcp_servers: pending = [] }) {
      if (matches.length > 0) return matches.map((tool_name) => ({ type: "tool_reference", tool_name }));
      const later = pending.length > 0 ? `. Still connecting, search again later: ${pending.join(", ")}` : "";
      return `No matching deferred tools found${later}`;
    },
  });
  return { ...tool, prepare: () => void indexed() };
}

/** Few sessions search. */
const searching = () => require("./tool-index.ts") as typeof Index;

interface Found {
  readonly tools: readonly DeferredTool[];
  /** Whether every selected tool was found. */
  readonly isWhole: boolean;
}

function find(index: ToolIndex, query: string, most: number): Found {
  if (SELECT.test(query)) {
    const names = query
      .replace(SELECT, "")
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "");
    const tools = names.slice(0, MAX_RESULTS).map((name) => index.named(name));
    return { tools: tools.filter((tool) => tool !== undefined), isWhole: tools.every((tool) => tool !== undefined) };
  }
  const exact = index.named(query.trim());
  if (exact) return { tools: [exact], isWhole: true };
  const parts = query.split(/\s+/).slice(0, MAX_WORDS);
  const required = parts.filter((part) => part.startsWith("+")).flatMap((part) => searching().searchWords(part));
  const tools = index.ranked(
    parts.flatMap((part) => searching().searchWords(part)),
    required,
    most,
  );
  return { tools, isWhole: tools.length > 0 };
}

/** A server that is still connecting may have what was not found, or what was asked for by the server's name. */
function mustWait({ isWhole }: Found, query: string, connecting: readonly string[]): boolean {
  if (connecting.length === 0) return false;
  const words = new Set(searching().searchWords(query));
  return (
    !isWhole ||
    connecting.some((server) =>
      searching()
        .searchWords(server)
        .every((word) => words.has(word)),
    )
  );
}

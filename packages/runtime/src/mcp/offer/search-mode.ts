// When the tools of MCP servers are deferred: the model knows only their names until ToolSearch loads them.

export interface SearchMode {
  /** The share of the context window that tool descriptions may take before they are deferred: 0 always, 1 never. */
  readonly share: number;
  /** More tools than this are deferred, however small they are. */
  readonly most: number;
  /** Built-in tools that are rarely used are deferred too. */
  readonly builtIn: boolean;
  /** The model's API understands `tool_reference` and `defer_loading`. */
  readonly references: boolean;
}

const DEFAULT_SHARE = 0.1;
/** Of a request to OpenAI and Azure. Other models too choose better among fewer. */
const MOST_TOOLS = 128;

/**
 * From ENABLE_TOOL_SEARCH: `true`, `false`, `auto` or `auto:PERCENT`. `provider` is the session's, if that is not
 * Anthropic's own API.
 */
export function searchMode(env: Readonly<Record<string, string | undefined>>, provider?: string): SearchMode {
  const isFirstParty = provider === undefined && isAnthropic(env["ANTHROPIC_BASE_URL"]);
  const most = provider === undefined ? Infinity : MOST_TOOLS;
  const [word = "", percent] = (env["ENABLE_TOOL_SEARCH"] ?? "").trim().toLowerCase().split(":");
  switch (word) {
    case "true":
    case "1":
      return { share: 0, most, builtIn: true, references: provider === undefined };
    case "false":
    case "0":
      return { share: 1, most, builtIn: false, references: false };
    case "auto":
      return { share: shareOf(percent), most, builtIn: false, references: isFirstParty };
    default:
      return { share: isFirstParty ? 0 : DEFAULT_SHARE, most, builtIn: false, references: isFirstParty };
  }
}

function shareOf(percent: string | undefined): number {
  const value = Number(percent ?? NaN);
  return value >= 0 && value <= 100 ? value / 100 : DEFAULT_SHARE;
}

function isAnthropic(url: string | undefined): boolean {
  if (!url) return true;
  try {
    return /(^|\.)anthropic\.com$/.test(new URL(url).hostname);
  } catch {
    return false;
  }
}

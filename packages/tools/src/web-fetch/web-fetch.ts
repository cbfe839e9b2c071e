// WebFetch: reads one web page and answers a question about it. The page itself does not reach the conversation.

import { defineTool, integer, object, optional, string, ToolError, type Tool, type ToolContext } from "@keelson/engine";
import description from "./web-fetch.md" with { type: "text" };

export interface WebFetchInput {
  readonly url: string;
  readonly prompt: string;
  readonly offset?: number;
}

export interface WebFetchOutput {
  /** Size of the page. */
  readonly bytes: number;
  /** The HTTP status. */
  readonly code: number;
  readonly codeText: string;
  readonly result: string;
  readonly durationMs: number;
  readonly url: string;
}

export interface WebPages {
  /** Fetches the page and has the prompt answered. Throws ToolError. */
  answer(request: WebFetchInput & { readonly address: URL }, context: ToolContext): Promise<WebFetchOutput>;
}

export function webFetchTool(pages: WebPages): Tool<WebFetchInput, WebFetchOutput> {
  return defineTool<WebFetchInput, WebFetchOutput>({
    name: "WebFetch",
    description,
    input: object({
      url: string("The address of the page", { format: "uri" }),
      prompt: string("What to find out from the page"),
      offset: optional(integer("Where in the text of a long page to start, in characters", { minimum: 0 })),
    }),
    kind: "fetch",
    describe: (input) => input.text("url"),
    parallelSafe: true,

    access: ({ url }) => ({ kind: "url", url }),

    run: (input, context) => pages.answer({ ...input, address: webAddress(input.url) }, context),
    show: ({ result }) => result,
  });
}

const MAX_URL = 2_000;

/** The address to fetch, always with https. The wording of the error is known to clients. */
function webAddress(text: string): URL {
  const url = text.length > MAX_URL ? null : URL.parse(text);
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
  // A name without a dot means something else on every network.
  const hasDot = url?.hostname.replace(/\.$/, "").includes(".");
  if (!url || !isWeb || !hasDot || url.username !== "" || url.password !== "") throw new ToolError("Invalid URL");
  url.protocol = "https:";
  return url;
}

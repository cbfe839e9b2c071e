// WebFetch: joins the fetcher, the text of the page, the small model that answers, and a cache.

import { ToolError, type ToolContext } from "@keelson/engine";
import { FetchError, fetchPage, type FetchedPage } from "@keelson/host/web";
import type { WebFetchInput, WebFetchOutput, WebPages } from "@keelson/tools";
import { pageText, type PageText } from "@keelson/tools/web";
import { fileExtension } from "../machine/file-extension.ts";
import { domainRefusal } from "./domains.ts";
import { askAboutPage } from "./extract.ts";
import { sessionNetwork } from "./network.ts";
import { PageCache } from "./page-cache.ts";
import type { WebParts } from "./web-parts.ts";

/** A page that was fetched, as far as a later call needs it. */
export interface KeptPage {
  readonly bytes: number;
  readonly code: number;
  readonly codeText: string;
  /** Where the redirects ended. */
  readonly url: string;
  readonly title: string;
  readonly text: string;
  /** The page is longer than what was read of it. */
  readonly cut: boolean;
}

type PageRequest = WebFetchInput & { readonly address: URL };

const HEADERS = {
  accept: "text/markdown, text/html, */*",
  "user-agent": "Keelson-User (fetches pages that a user asks for)",
};

export function openWebPages({ storage, machine }: WebParts): WebPages {
  const cache = new PageCache<KeptPage>({ now: storage.now, sizeOf: ({ text }) => text.length });
  storage.onClear(() => cache.clear());
  const network = sessionNetwork(() => storage.state.snapshot.env);

  /** The page, or what there is to say if there is none. */
  const load = async ({ address, prompt }: PageRequest, context: ToolContext): Promise<KeptPage | Told> => {
    // What follows # is not sent to the server.
    const key = address.href.replace(/#.*$/s, "");
    const kept = cache.get(key);
    if (kept) return kept;
    const fetched = await fetchPage(address, { signal: context.signal, headers: HEADERS, network });
    const told = tellStatus(fetched, { address, prompt });
    if (told !== undefined) return { ...statusOf(fetched), told };
    const read = pageText(fetched);
    if (read.kind === "binary") return { ...statusOf(fetched), told: await saveBinary(fetched, read, context) };
    const { kind: _, ...text } = read;
    const page = { ...statusOf(fetched), url: fetched.url, ...text, cut: fetched.cut || read.cut };
    cache.set(key, page);
    return page;
  };

  const saveBinary = async ({ body, cut }: FetchedPage, { type }: BinaryPage, { toolUseId }: ToolContext) => {
    const path = await machine.spill(`webfetch-${toolUseId}`, body, fileExtension(type));
    const start = cut ? ` ${TOO_LARGE}` : "";
    return `The address leads to a file that is not text.${start}\n\n[Binary content (${type}, ${body.length} bytes) also saved to ${path}]`;
  };

  return {
    async answer(request, context): Promise<WebFetchOutput> {
      const started = storage.now();
      const refusal = domainRefusal(request.address, storage.state.snapshot.settings);
      if (refusal !== undefined) throw new ToolError(refusal);
      try {
        const loaded = await load(request, context);
        const result = "told" in loaded ? loaded.told : await readPage(loaded, request);
        const { bytes, code, codeText } = loaded;
        return { bytes, code, codeText, result, durationMs: storage.now() - started, url: request.url };
      } catch (error) {
        if (error instanceof FetchError && !context.signal.aborted) throw new ToolError(error.message);
        throw error;
      }

      async function readPage(page: KeptPage, { prompt, offset = 0 }: PageRequest): Promise<string> {
        const { length } = page.text;
        if (page.text.trim() === "")
          return page.cut
            ? `There is no text in the part of the page that was read. ${TOO_LARGE}`
            : "The page has no text. It may need a browser to show anything.";
        if (offset > 0 && offset >= length)
          throw new ToolError(`The text of the page has only ${length} characters${page.cut ? `. ${TOO_LARGE}` : ""}`);
        const { answer, end } = await askAboutPage({ ...page, offset }, prompt, storage, context);
        return [answer, ...lengthNotes(page, offset, end)].join("\n\n");
      }
    },
  };
}

type Told = Pick<WebFetchOutput, "bytes" | "code" | "codeText"> & { readonly told: string };
type BinaryPage = Extract<PageText, { kind: "binary" }>;

const statusOf = ({ body, status, statusText }: FetchedPage) => ({
  bytes: body.length,
  code: status,
  codeText: statusText,
});

/** What to say instead of an answer: the page is elsewhere, or there is none. Clients know the first sentences. */
function tellStatus(
  { status, statusText, redirect }: FetchedPage,
  { address, prompt }: Pick<PageRequest, "address" | "prompt">,
): string | undefined {
  const named = `${status} ${statusText}`.trim();
  if (redirect !== undefined) {
    return [
      "REDIRECT DETECTED: The URL redirects to a different host.",
      `Original URL: ${address.href}\nRedirect URL: ${redirect.slice(0, MAX_REDIRECT)}\nStatus: ${named}`,
      `If you need the page, call WebFetch again with:\n- url: ${JSON.stringify(redirect.slice(0, MAX_REDIRECT))}\n- prompt: ${JSON.stringify(prompt)}`,
    ].join("\n\n");
  }
  if (status >= 200 && status <= 299) return undefined;
  return `The server returned HTTP ${named}.\n\nIf the page needs a sign-in, use a tool that is signed in to the service instead, such as an MCP server or the service's own command-line program.`;
}

function lengthNotes({ text, cut }: KeptPage, offset: number, end: number): string[] {
  const more = `[This answer is about the characters ${offset} to ${end} of ${text.length}. For what follows, call WebFetch with offset ${end}.]`;
  return [...(text.length > end ? [more] : []), ...(cut ? [TOO_LARGE] : [])];
}

/** Said with every part: whoever reads one must know that the whole is not all. */
const TOO_LARGE = "[The page is too large to be read to its end: only its beginning was read, at most 10 MB.]";

/** Longer addresses could not be fetched. */
const MAX_REDIRECT = 2_000;

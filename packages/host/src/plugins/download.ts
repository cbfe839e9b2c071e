// Downloads a file over https, with a size limit. Addresses that someone on the way could change are refused.

import { LIMITS, mib, PluginFetchError } from "./plugin-files.ts";

const MAX_REDIRECTS = 5;
const TIMEOUT_MS = 60_000;

export interface DownloadOptions {
  /** Knows the proxies and certificates of the user. */
  readonly fetch: (url: string, options: RequestInit) => Promise<Response>;
  /** What to send along to each address on the way, so that a token goes only where it belongs. */
  readonly headers?: (url: URL) => Readonly<Record<string, string>>;
  readonly maxBytes?: number;
}

export async function download(url: string, options: DownloadOptions): Promise<Uint8Array> {
  const { maxBytes = LIMITS.archiveBytes } = options;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  let at = checkedUrl(url);
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const response = await ask(at, signal, options);
    const next = response.headers.get("location");
    if (response.status >= 300 && response.status < 400 && next !== null) {
      await response.body?.cancel();
      at = checkedUrl(new URL(next, at).href);
      continue;
    }
    if (!response.ok || response.body === null) {
      throw new PluginFetchError(`${url} answered ${response.status}`, response.status);
    }
    return wholeBody(response.body, url, maxBytes);
  }
  throw new PluginFetchError(`${url} redirects too often`);
}

async function ask(url: URL, signal: AbortSignal, { fetch, headers }: DownloadOptions): Promise<Response> {
  try {
    return await fetch(url.href, { redirect: "manual", signal, ...(headers && { headers: headers(url) }) });
  } catch (error) {
    throw new PluginFetchError(`${url.href} cannot be reached: ${(error as Error).message}`);
  }
}

async function wholeBody(body: ReadableStream<Uint8Array>, url: string, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new PluginFetchError(`${url} is larger than ${mib(maxBytes)}`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function checkedUrl(text: string): URL {
  const url = URL.parse(text);
  const isHere = url !== null && /^(?:127\.0\.0\.1|\[::1\]|localhost)$/.test(url.hostname);
  if (url !== null && (url.protocol === "https:" || (url.protocol === "http:" && isHere))) return url;
  throw new PluginFetchError(`"${text}" is not an https:// address`);
}

// One HTTP request to a server that the user's settings name: no redirects, a limit on time and size, and a token only
// over TLS or to this machine.

export interface ServiceCall {
  readonly url: string;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Sent as a bearer token. Never part of an error. */
  readonly token?: string | undefined;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

export interface ServiceAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The answer was longer than `maxBytes`. */
  readonly cut: boolean;
}

/** A request that got no answer. `reason` is a sentence without the token and the query. */
export class ServiceCallError extends Error {
  override readonly name = "ServiceCallError";
}

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 1024 * 1024;

export async function callService(call: ServiceCall): Promise<ServiceAnswer> {
  const { method, body, token, signal, timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES } = call;
  const url = checkAddress(call.url, token !== undefined);
  const limit = AbortSignal.timeout(timeoutMs);
  const where = `${url.origin}${url.pathname}`;
  try {
    const response = await fetch(url.href, {
      method,
      headers: { ...call.headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
      ...(body === undefined ? {} : { body }),
      // A redirect would take the token and the text elsewhere.
      redirect: "manual",
      signal: AbortSignal.any([signal, limit]),
    });
    return { status: response.status, headers: response.headers, ...(await readUpTo(response, maxBytes)) };
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted) throw new ServiceCallError(`'${where}' did not answer within ${timeoutMs / 1000} seconds`);
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ServiceCallError(`'${where}' could not be reached: ${code ?? message}`);
  }
}

function checkAddress(text: string, hasToken: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new ServiceCallError("The address is not an http or https URL");
  if (url.username !== "" || url.password !== "") {
    throw new ServiceCallError("The address contains a user name or password; use a token instead");
  }
  if (hasToken && url.protocol === "http:" && !isThisMachine(url.hostname)) {
    throw new ServiceCallError(`The token would be sent unencrypted to '${url.host}'; use https`);
  }
  return url;
}

const isThisMachine = (host: string) => /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(host);

async function readUpTo(response: Response, maxBytes: number): Promise<{ text: string; cut: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    const room = maxBytes - size;
    chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    size += Math.min(chunk.length, room);
    if (chunk.length > room) return { text: new TextDecoder().decode(Buffer.concat(chunks)), cut: true };
  }
  return { text: new TextDecoder().decode(Buffer.concat(chunks)), cut: false };
}

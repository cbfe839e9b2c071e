// Catches the redirect at the end of a sign-in: a web server on this machine that answers one address, for as long as
// the sign-in takes.

export interface RedirectListener extends AsyncDisposable {
  readonly redirectUrl: string;
  /** The query of the first redirect with the right state. */
  readonly received: Promise<URLSearchParams>;
}

export interface RedirectListenerOptions {
  /** Any free port if absent. */
  readonly port?: number;
  /** Requests with another state are refused, and the wait continues. */
  readonly state: string;
}

const PATH = "/callback";
const LINGER_MS = 500;
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** Throws if the port is taken. */
export function listenForRedirect({ port = 0, state }: RedirectListenerOptions): RedirectListener {
  const { promise, resolve } = Promise.withResolvers<URLSearchParams>();
  const fetch = (request: Request): Response => {
    const url = new URL(request.url);
    // Web pages elsewhere can reach this port too, under a name of their own.
    if (!LOOPBACK.test(request.headers.get("host") ?? "")) return page(421, "This address is not served here.");
    if (url.pathname !== PATH || request.method !== "GET") return page(404, "There is nothing here.");
    if (url.searchParams.get("state") !== state) return page(400, "This is not the sign-in that Keelson started.");
    resolve(url.searchParams);
    return url.searchParams.has("code")
      ? page(200, "You are signed in. You can close this window and return to Keelson.")
      : page(200, "You are not signed in. Keelson shows the reason.");
  };
  const first = Bun.serve({ port, hostname: "127.0.0.1", fetch });
  const second = listenOnIpv6(first.port ?? port, fetch);
  return {
    redirectUrl: `http://localhost:${first.port}${PATH}`,
    received: promise,
    async [Symbol.asyncDispose]() {
      // Lets the last page reach the browser, but does not wait for connections that it keeps open.
      await Promise.race([Promise.all([first.stop(), second?.stop()]), Bun.sleep(LINGER_MS)]);
      await Promise.all([first.stop(true), second?.stop(true)]);
    },
  };
}

/** Browsers may take `localhost` for ::1. Not every machine has it. */
function listenOnIpv6(port: number, fetch: (request: Request) => Response) {
  try {
    return Bun.serve({ port, hostname: "::1", fetch });
  } catch {
    return undefined;
  }
}

/** Fixed words only: nothing of the request is shown. */
function page(status: number, text: string): Response {
  const html = `<!doctype html><meta charset="utf-8"><title>Keelson</title><p>${text}</p>\n`;
  return new Response(html, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      connection: "close",
    },
  });
}

// A web site on this machine, over TLS with a certificate that a session trusts only by NODE_EXTRA_CA_CERTS.

import { LOOPBACK_CERTIFICATE, type TemporaryHome } from "@keelson/testkit";

export interface Site extends AsyncDisposable {
  readonly url: string;
  readonly host: string;
  readonly requests: readonly { readonly path: string; readonly headers: Readonly<Record<string, string>> }[];
}

export function startSite(answer: (path: string, request: Request) => Response | Promise<Response>): Site {
  const requests: Site["requests"][number][] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    tls: LOOPBACK_CERTIFICATE,
    fetch(request) {
      const { pathname, search } = new URL(request.url);
      requests.push({ path: pathname + search, headers: Object.fromEntries(request.headers) });
      return answer(pathname, request);
    },
  });
  const host = `127.0.0.1:${server.port}`;
  return {
    url: `https://${host}`,
    host,
    requests,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** The variables that make a session trust the sites. */
export const trusting = (home: TemporaryHome) => ({
  NODE_EXTRA_CA_CERTS: home.write("~/loopback.pem", LOOPBACK_CERTIFICATE.cert),
});

export const html = (body: string) => new Response(body, { headers: { "content-type": "text/html; charset=utf-8" } });

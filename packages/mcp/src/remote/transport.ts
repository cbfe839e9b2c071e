// Connects to a configured remote server: its headers, its sign-in, and the transport of its kind.

import type { McpRemoteConfig } from "@keelson/protocol";
import type { Transport } from "../connection/client.ts";
import { needsSignIn } from "./errors.ts";
import { guardedFetch, type RemoteFetch } from "./guarded-fetch.ts";
import { remoteHeaders, type HeaderSources } from "./headers.ts";
import { httpTransport } from "./http.ts";
import { sseTransport } from "./sse.ts";
import { sessionAuth } from "../sign-in/session-auth.ts";
import type { SignInStorage } from "../sign-in/storage.ts";

export type HttpServerConfig = McpRemoteConfig & { readonly type: "http" | "sse" };

export interface RemoteDependencies extends HeaderSources {
  /** With the proxies and certificates of the session. */
  readonly fetch: RemoteFetch;
  /** Where tokens are stored. Without it, a server that wants a sign-in cannot be used. */
  readonly signIn?: SignInStorage;
  /** Contact the server even if it wanted a sign-in a short time ago, because the user asks for it. */
  readonly isRetry?: boolean;
}

/** One connection. Never opens a browser: a server that wants a sign-in fails with NeedsSignInError. */
export function remoteTransport(config: HttpServerConfig, deps: RemoteDependencies): Transport {
  let inner: Transport | undefined;
  const opened = () => {
    if (!inner) throw new Error("The transport is not started");
    return inner;
  };
  return {
    async start(events, signal) {
      const { name, fetch } = deps;
      const url = new URL(config.url);
      const headers = await remoteHeaders(config, deps, signal);
      const auth =
        deps.signIn && !new Headers(headers).has("authorization")
          ? sessionAuth({
              name,
              url: config.url,
              storage: deps.signIn,
              fetch: guardedFetch({ fetch, serverUrl: url, headers }),
            })
          : undefined;
      // Headers may be what lets us in, and they may have changed.
      const mayBeKnown = !deps.isRetry && Object.keys(headers).length === 0;
      if (mayBeKnown && (await auth?.isKnownToFail())) throw needsSignIn({ name, url });
      const create = config.type === "sse" ? sseTransport : httpTransport;
      inner = create({ name, url: config.url, headers, fetch, ...(auth ? { auth } : {}) });
      await inner.start?.(events, signal);
    },
    send: (message, signal) => opened().send(message, signal),
    useVersion: (version) => inner?.useVersion?.(version),
    close: () => inner?.close?.(),
  };
}

// A server on the network must not make us talk to this machine: where its sign-in happens is its own choice.

import type { RemoteFetch } from "../remote/guarded-fetch.ts";
import { SignInError } from "./errors.ts";

/** Refuses addresses of this machine and of its link, unless the server is one of them. */
export function awayFromHere(fetch: RemoteFetch, serverUrl: string): RemoteFetch {
  if (isLocal(new URL(serverUrl))) return fetch;
  return async (url, init) => {
    const target = new URL(url);
    if (isLocal(target)) {
      throw new SignInError(
        `The server names "${target.host}" for signing in, which is this machine; if that is right, set "oauth.authServerMetadataUrl"`,
      );
    }
    return fetch(url, init);
  };
}

/** By address or well-known name; URLs have the usual form of an address already. */
function isLocal({ hostname }: URL): boolean {
  return (
    /^(?:.+\.)?localhost\.?$/i.test(hostname) ||
    /^(?:127|0)\.|^169\.254\./.test(hostname) ||
    /^\[(?:::|::1|fe[89ab][0-9a-f]:.*|::ffff:(?:7f[0-9a-f]{2}|0|a9fe):.*)\]$/i.test(hostname)
  );
}

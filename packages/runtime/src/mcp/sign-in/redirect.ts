// The end of a sign-in: the browser's redirect to this machine, or the address that the user copies from the browser.

import { ownEnvironment, type Snapshot } from "@keelson/config";
import { listenForRedirect, openSecretStore, openSignInMemory, type RedirectListener } from "@keelson/host/secrets";
import { lastRedirect, type SignInServer, type SignInStorage } from "@keelson/mcp/sign-in";
import type { McpOAuthConfig } from "@keelson/protocol";

/** Where tokens are stored. */
export function signInStorage(snapshot: Snapshot): SignInStorage {
  const { configDir, origin } = snapshot;
  return {
    tokens: openSecretStore({ configDir, env: ownEnvironment(snapshot), platform: origin.platform }),
    needed: openSignInMemory(configDir),
  };
}

export interface RedirectPlace {
  readonly server: SignInServer;
  readonly oauth?: McpOAuthConfig | undefined;
  readonly snapshot: Snapshot;
  /** Random; the redirect must repeat it. */
  readonly state: string;
}

/**
 * A configured port must be free; otherwise the last one is tried, because the client is registered with it. Throws an
 * error for the user.
 */
export async function openRedirect({ server, oauth, snapshot, state }: RedirectPlace): Promise<RedirectListener> {
  const wanted = oauth?.callbackPort ?? portIn(snapshot.env["MCP_OAUTH_CALLBACK_PORT"]);
  const last = wanted === undefined ? await lastRedirect(signInStorage(snapshot).tokens, server) : undefined;
  const port = wanted ?? portIn(last?.port);
  try {
    return listenForRedirect({ state, ...(port === undefined ? {} : { port }) });
  } catch {
    if (wanted === undefined) return listenForRedirect({ state });
    throw new Error(`port ${wanted} is in use; free it, or change oauth.callbackPort`);
  }
}

function portIn(text: string | undefined): number | undefined {
  const port = Number(text);
  return text !== undefined && Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
}

/** The redirect address that the user pasted, or the code alone. Undefined if it is neither. */
export function pastedRedirect(pasted: string, state: string): URLSearchParams | undefined {
  const text = pasted.trim();
  const url = URL.parse(text);
  if (url?.protocol === "http:" || url?.protocol === "https:") return url.searchParams;
  return /^\S{4,4000}$/.test(text) ? new URLSearchParams({ code: text, state }) : undefined;
}

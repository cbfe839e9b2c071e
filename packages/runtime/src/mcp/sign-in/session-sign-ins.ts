// Sign-ins to remote servers that a client starts: it gets the address to open, and is notified how the sign-in ended.

import type { Snapshot } from "@keelson/config";
import { openBrowser } from "@keelson/host/secrets";
import { isDocumentUrl, signIn, SignInError } from "@keelson/mcp/sign-in";
import { networkFetch } from "@keelson/model";
import type { Signal } from "@keelson/protocol";
import type { Storage } from "../../session/storage.ts";
import type { ManagedServer } from "../servers/server.ts";
import { openRedirect, pastedRedirect, signInStorage } from "./redirect.ts";

/** No one needs longer, and the port is closed afterwards. */
const WAIT_MS = 10 * 60 * 1_000;

export interface SignInStart {
  readonly authUrl: string;
  /** Where the browser goes at the end. A user without a browser on this machine pastes that address. */
  readonly redirectUrl: string;
  readonly requiresUserAction: true;
  /** A browser was opened. */
  readonly opened: boolean;
}

export interface SessionSignInsOptions {
  snapshot(): Snapshot;
  show(signal: Signal): void | Promise<void>;
}

interface OpenSignIn {
  readonly state: string;
  submit(redirect: URLSearchParams): void;
  cancel(message: string): void;
}

export const openSignIns = ({ state, outbox }: Storage) =>
  new SessionSignIns({ snapshot: () => state.snapshot, show: (signal) => outbox.show(signal) });

export class SessionSignIns {
  readonly #options: SessionSignInsOptions;
  readonly #open = new Map<string, OpenSignIn>();

  constructor(options: SessionSignInsOptions) {
    this.#options = options;
  }

  /** Resolves with the address to open; the sign-in continues. Throws an error for the user. */
  async begin(server: ManagedServer, { browser = false }: { readonly browser?: boolean } = {}): Promise<SignInStart> {
    const { name } = server;
    const config = remoteConfig(server);
    this.#open.get(name)?.cancel("Another sign-in to this server was started");
    const snapshot = this.#options.snapshot();
    const state = crypto.randomUUID();
    const target = { name, url: config.url };
    const address = Promise.withResolvers<URL>();
    const answer = Promise.withResolvers<URLSearchParams>();
    const own: OpenSignIn = {
      state,
      submit: answer.resolve,
      cancel: (message) => answer.reject(new SignInError(message)),
    };
    // It may be cancelled before anyone waits for it.
    answer.promise.catch(() => undefined);
    const listener = await openRedirect({ server: target, oauth: config.oauth, snapshot, state });
    this.#open.set(name, own);
    const secret = clientSecret(config.oauth?.clientId, snapshot);
    const timer = setTimeout(() => own.cancel("The sign-in was not completed within 10 minutes; try again"), WAIT_MS);
    const work = signIn({
      ...config,
      ...target,
      storage: signInStorage(snapshot),
      state,
      redirectUrl: listener.redirectUrl,
      fetch: networkFetch(snapshot.env),
      ...(secret === undefined ? {} : { clientSecret: secret }),
      authorize(url) {
        address.resolve(url);
        return Promise.race([listener.received, answer.promise]);
      },
    });
    void work
      .then(
        () => this.#signedIn(server),
        (error: Error) => {
          address.reject(error);
          return this.#report(name, { state: "failed", error: error.message });
        },
      )
      .finally(async () => {
        clearTimeout(timer);
        if (this.#open.get(name) === own) this.#open.delete(name);
        await listener[Symbol.asyncDispose]();
      });
    const url = await address.promise;
    const opened = browser && (await openBrowser(url, { env: snapshot.childEnv, platform: snapshot.origin.platform }));
    return { authUrl: url.href, redirectUrl: listener.redirectUrl, requiresUserAction: true, opened };
  }

  /** What the user pasted: the address of the redirect, or the code in it. Throws an error for the user. */
  submit(name: string, pasted: string): void {
    const own = this.#open.get(name);
    if (!own) throw new Error(`No sign-in to "${name}" is open`);
    const redirect = pastedRedirect(pasted, own.state);
    if (!redirect) throw new Error("This is neither the address of the redirect nor a code");
    own.submit(redirect);
  }

  close(): void {
    for (const { cancel } of this.#open.values()) cancel("The session ended");
  }

  async #signedIn(server: ManagedServer): Promise<void> {
    await this.#report(server.name, { state: "signed_in" });
    await server.reconnect();
    const { name, status, error } = server;
    await this.#options.show({
      type: "system",
      subtype: "mcp_server_status",
      server_name: name,
      status,
      ...(error === undefined ? {} : { error }),
    });
  }

  #report(name: string, how: { state: "signed_in" | "failed"; error?: string }): void | Promise<void> {
    return this.#options.show({ type: "system", subtype: "mcp_sign_in", server_name: name, ...how });
  }
}

function remoteConfig({ name, definition }: ManagedServer) {
  const config = definition.configured?.config;
  if (config?.type !== "http" && config?.type !== "sse")
    throw new Error(`MCP server "${name}" has no sign-in: only http and sse servers do`);
  if (!/^https?:\/\//i.test(config.url) || !URL.canParse(config.url))
    throw new Error(`MCP server "${name}" has no valid URL`);
  if (new Headers(config.headers).has("authorization"))
    throw new Error(`MCP server "${name}" has an Authorization header; remove it to sign in instead`);
  return { ...config, type: config.type };
}

/** Only for a client that the configuration names. */
function clientSecret(clientId: string | undefined, { env }: Snapshot): string | undefined {
  if (clientId === undefined || isDocumentUrl(clientId)) return undefined;
  return env["MCP_CLIENT_SECRET"] || undefined;
}

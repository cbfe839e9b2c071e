// Tokens of Microsoft Entra ID for Azure and Foundry: an application proves who it is with a secret, or with the token that
// its platform keeps in a file. Nothing of the answers is quoted but the code of an error.

import { isObject, tryParse } from "@keelson/protocol";
import { ModelError } from "@keelson/engine";
import { networkFetch } from "../../http/network.ts";
import type { Env } from "../../profiles/profiles.ts";

const SCOPE = "https://cognitiveservices.azure.com/.default";
const AUTHORITY = "https://login.microsoftonline.com";
const TIMEOUT_MS = 10_000;
/** A token is replaced this long before it ends. */
const RENEW_BEFORE_MS = 5 * 60_000;

export class EntraTokens {
  readonly #env: Env;
  readonly #network: Env;
  readonly #now: () => number;
  #kept: { readonly token: Promise<string>; readonly until: () => number } | undefined;
  #latest: string | undefined;

  constructor(env: Env, network: Env, now: () => number) {
    this.#env = env;
    this.#network = network;
    this.#now = now;
  }

  get latest(): string | undefined {
    return this.#latest;
  }

  /** Throws ModelError. */
  current(): Promise<string> {
    if (this.#kept && this.#kept.until() > this.#now()) return this.#kept.token;
    return this.renewed();
  }

  renewed(): Promise<string> {
    // Requests that come meanwhile wait for the same token.
    let until = Infinity;
    const token = this.#request().then((found) => {
      until = this.#now() + found.seconds * 1_000 - RENEW_BEFORE_MS;
      return (this.#latest = found.token);
    });
    const kept = { token, until: () => until };
    this.#kept = kept;
    // A failure is not remembered.
    token.catch(() => {
      if (this.#kept === kept) this.#kept = undefined;
    });
    return token;
  }

  async #request(): Promise<{ readonly token: string; readonly seconds: number }> {
    const url = addressOf(this.#env);
    const body = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: this.#env["AZURE_CLIENT_ID"]!.trim(),
      scope: SCOPE,
      ...(await proofOf(this.#env)),
    });
    const { status, value } = await post(networkFetch(this.#network), url, body);
    const { access_token: token, expires_in: seconds, error } = isObject(value) ? value : {};
    if (typeof token === "string" && token !== "") return { token, seconds: Number(seconds) || 3_600 };
    if (status >= 500)
      throw new ModelError("server_error", `${url.origin} returned no token (HTTP ${status})`, { status });
    const code = typeof error === "string" && /^\w{1,60}$/.test(error) ? error : `HTTP ${status}`;
    throw new ModelError(
      "authentication_failed",
      `${url.origin} refused the application (${code}); check AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET`,
    );
  }
}

async function post(send: ReturnType<typeof networkFetch>, url: URL, body: URLSearchParams) {
  try {
    const response = await send(url.href, {
      method: "POST",
      body,
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: response.status, value: tryParse(await response.text()) };
  } catch {
    // The runtime's error may quote what was sent.
    throw new ModelError("connection", `Could not reach ${url.origin} for a token; check the network`);
  }
}

/** The secret, or the token of the platform, which replaces its file before the old one ends. */
async function proofOf(env: Env): Promise<Readonly<Record<string, string>>> {
  const secret = env["AZURE_CLIENT_SECRET"]?.trim();
  if (secret) return { client_secret: secret };
  const file = Bun.file(env["AZURE_FEDERATED_TOKEN_FILE"]!.trim());
  const client_assertion = (await file.exists()) ? (await file.text()).trim() : "";
  if (client_assertion === "")
    throw new ModelError("authentication_failed", "The file that AZURE_FEDERATED_TOKEN_FILE names has no token");
  return { client_assertion, client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" };
}

function addressOf(env: Env): URL {
  const tenant = env["AZURE_TENANT_ID"]!.trim();
  if (!/^[\w.-]+$/.test(tenant))
    throw new ModelError("authentication_failed", "AZURE_TENANT_ID is not the id or the domain of a tenant");
  const host = URL.parse(env["AZURE_AUTHORITY_HOST"]?.trim() || AUTHORITY);
  const isLocal = /^(?:localhost|\[::1\]|127(?:\.\d+){3})$/.test(host?.hostname ?? "");
  if (host?.protocol !== "https:" && !(host?.protocol === "http:" && isLocal))
    throw new ModelError("authentication_failed", "AZURE_AUTHORITY_HOST is not an https URL");
  return new URL(`/${tenant}/oauth2/v2.0/token`, host);
}

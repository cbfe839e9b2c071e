// Signing in at a provider of OpenID Connect: discovery, a code with PKCE, state and nonce; what it says of groups gives the role.

import { isList } from "@keelson/protocol";
import * as oauth from "oauth4webapi";
import type { TeamRole } from "../records/team.ts";
import { ROLES_OF_PEOPLE, shownName } from "./people.ts";

export interface OidcSettings {
  readonly issuer: URL;
  readonly clientId: string;
  /** Absent: a public client. */
  readonly clientSecret?: string | undefined;
  readonly scopes: string;
  /** The claim that has the groups. */
  readonly groupsClaim: string;
  /** Who is in none of these groups is not let in; `*` is everybody. */
  readonly roles: readonly GroupRole[];
}

export interface GroupRole {
  readonly group: string;
  readonly role: TeamRole;
}

/** What the browser has to bring back, sealed. */
export interface OidcAttempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface OidcPerson {
  /** `ISSUER SUBJECT` */
  readonly subject: string;
  readonly name: string;
  readonly email: string | null;
  /** Undefined: none of their groups has one. */
  readonly role: TeamRole | undefined;
}

/** Why somebody was not signed in; the message is for people. */
export class OidcProblem extends Error {
  override readonly name = "OidcProblem";
}

const REQUEST_MS = 10_000;
const KNOWN_MS = 60 * 60_000;
/** So that many who try while a provider is down do not ask it all the time. */
const FAILED_MS = 5_000;
const MOST_GROUPS = 2_000;

export class OidcSignIn {
  /** For the button. */
  readonly name: string;
  readonly #settings: OidcSettings;
  readonly #now: () => number;
  #known: { readonly server: Promise<oauth.AuthorizationServer>; readonly until: number } | undefined;

  constructor(settings: OidcSettings, now: () => number) {
    this.#settings = settings;
    this.#now = now;
    this.name = settings.issuer.host;
  }

  async begin(redirectUri: string): Promise<{ readonly url: string; readonly attempt: OidcAttempt }> {
    const { authorization_endpoint: endpoint } = await this.#server();
    if (endpoint === undefined) throw new OidcProblem(`${this.name} offers no sign-in; check --oidc-issuer`);
    const attempt = {
      state: oauth.generateRandomState(),
      nonce: oauth.generateRandomNonce(),
      verifier: oauth.generateRandomCodeVerifier(),
    };
    const url = new URL(endpoint);
    for (const [name, value] of Object.entries({
      response_type: "code",
      client_id: this.#settings.clientId,
      redirect_uri: redirectUri,
      scope: this.#settings.scopes,
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: "S256",
    }))
      url.searchParams.set(name, value);
    return { url: url.href, attempt };
  }

  /** `answer`: what the provider added to the address of the redirect. Throws an OidcProblem. */
  async finish(answer: URLSearchParams, attempt: OidcAttempt, redirectUri: string): Promise<OidcPerson> {
    const server = await this.#server();
    const { clientId, clientSecret, groupsClaim } = this.#settings;
    const client: oauth.Client = { client_id: clientId };
    const secret = clientSecret === undefined ? oauth.None() : clientAuth(server, clientSecret);
    const options = this.#options();
    try {
      const parameters = oauth.validateAuthResponse(server, client, answer, attempt.state);
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        secret,
        parameters,
        redirectUri,
        attempt.verifier,
        options,
      );
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
        expectedNonce: attempt.nonce,
        requireIdToken: true,
      });
      // Also over TLS: it costs one request, and a proxy in between can forge nothing.
      await oauth.validateApplicationLevelSignature(server, response, options);
      const claims = oauth.getValidatedIdTokenClaims(tokens)!;
      const { sub } = claims;
      let facts: Readonly<Record<string, unknown>> = claims;
      if (claims[groupsClaim] === undefined && server.userinfo_endpoint !== undefined) {
        const asked = await oauth.userInfoRequest(server, client, tokens.access_token, options);
        facts = { ...claims, ...(await oauth.processUserInfoResponse(server, client, sub, asked)) };
      }
      return {
        subject: `${server.issuer} ${sub}`,
        name: shownName(textIn(facts, "name") ?? textIn(facts, "preferred_username") ?? textIn(facts, "email") ?? sub),
        email: textIn(facts, "email") ?? null,
        role: this.#roleOf(facts[groupsClaim]),
      };
    } catch (error) {
      throw this.#problem(error);
    }
  }

  #roleOf(claim: unknown): TeamRole | undefined {
    const groups = new Set<unknown>(isList(claim) ? claim.slice(0, MOST_GROUPS) : [claim]);
    const found = this.#settings.roles.filter(({ group }) => group === "*" || groups.has(group));
    return ROLES_OF_PEOPLE.findLast((role) => found.some((each) => each.role === role));
  }

  #server(): Promise<oauth.AuthorizationServer> {
    if (this.#known !== undefined && this.#now() < this.#known.until) return this.#known.server;
    const server = this.#discover();
    const known = { server, until: this.#now() + KNOWN_MS };
    this.#known = known;
    server.catch(() => {
      if (this.#known === known) this.#known = { server, until: this.#now() + FAILED_MS };
    });
    return server;
  }

  async #discover(): Promise<oauth.AuthorizationServer> {
    const { issuer } = this.#settings;
    try {
      const response = await oauth.discoveryRequest(issuer, { algorithm: "oidc", ...this.#options() });
      return await oauth.processDiscoveryResponse(issuer, response);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new OidcProblem(
        `${this.name} does not describe itself as a provider: ${why}. An admin can check --oidc-issuer`,
      );
    }
  }

  #options(): oauth.HttpRequestOptions<"GET"> & oauth.HttpRequestOptions<"POST", URLSearchParams> {
    return {
      signal: () => AbortSignal.timeout(REQUEST_MS),
      // Only on this machine, which is checked when the server starts.
      [oauth.allowInsecureRequests]: this.#settings.issuer.protocol === "http:",
    };
  }

  #problem(error: unknown): OidcProblem {
    if (error instanceof OidcProblem) return error;
    if (error instanceof oauth.AuthorizationResponseError)
      return new OidcProblem(
        error.error === "access_denied"
          ? `The sign-in was cancelled at ${this.name}`
          : `${this.name} refused the sign-in: ${error.error_description ?? error.error}`,
      );
    const isBody = error instanceof oauth.ResponseBodyError;
    if (error instanceof oauth.WWWAuthenticateChallengeError || (isBody && error.error === "invalid_client"))
      return new OidcProblem(
        `${this.name} does not accept this server; an admin can check --oidc-client and KEELSON_OIDC_SECRET`,
      );
    if (isBody)
      return new OidcProblem(
        `${this.name} refused the sign-in: ${error.error_description ?? error.error}; start again`,
      );
    const code = (error as { code?: unknown }).code;
    if (code === oauth.INVALID_RESPONSE || code === oauth.JWT_CLAIM_COMPARISON || code === oauth.JWT_TIMESTAMP_CHECK)
      return new OidcProblem(`The answer of ${this.name} does not belong to this sign-in; start again`);
    return new OidcProblem(`What ${this.name} answered cannot be used; try again, and then tell an admin`);
  }
}

function clientAuth(server: oauth.AuthorizationServer, secret: string) {
  const methods = server.token_endpoint_auth_methods_supported;
  const isPost = methods !== undefined && !methods.includes("client_secret_basic");
  return isPost ? oauth.ClientSecretPost(secret) : oauth.ClientSecretBasic(secret);
}

function textIn(facts: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = facts[name];
  return typeof value === "string" && value !== "" ? value.slice(0, 200) : undefined;
}

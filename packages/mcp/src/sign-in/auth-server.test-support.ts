// A real authorization server for tests, made with the official router, and a server that accepts only its tokens. They
// have different origins, as in life. Everyone who asks is signed in.

import { InvalidGrantError, InvalidTokenError } from "@modelcontextprotocol/sdk/server/auth/errors.js";
import type { OAuthServerProvider } from "@modelcontextprotocol/sdk/server/auth/provider.js";
import { createOAuthMetadata, mcpAuthRouter } from "@modelcontextprotocol/sdk/server/auth/router.js";
import { createMcpExpressApp } from "@modelcontextprotocol/sdk/server/express.js";
import type { OAuthClientInformationFull, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { serveHttp, type TestServer } from "../remote/remote-servers.test-support.ts";

interface Grant {
  readonly client: string;
  readonly scopes: readonly string[];
  readonly resource?: string;
}

export interface AuthServer extends AsyncDisposable {
  readonly issuer: string;
  /** Every request it got, as `POST /token`, and the headers of each. */
  readonly requests: string[];
  readonly headers: Headers[];
  readonly clients: Map<string, OAuthClientInformationFull>;
  readonly tokens: Map<string, Grant>;
  readonly refreshTokens: Map<string, Grant>;
  /** Added to the redirect after a sign-in, or instead of what it would have. */
  readonly redirectExtra: Record<string, string>;
  /** Seconds. */
  lifetime: number;
  /** No token of this server is valid any longer; `refresh` decides about refresh tokens too. */
  revokeAll(refresh: boolean): void;
}

interface Options {
  /** Where the metadata says it is, if not where it is. */
  readonly claimedIssuer?: string;
  readonly metadata?: object;
}

export async function startAuthServer({ claimedIssuer, metadata }: Options = {}): Promise<AuthServer> {
  const app = createMcpExpressApp();
  const http = createServer((request, response) => {
    const path = new URL(request.url ?? "", issuer).pathname;
    state.requests.push(`${request.method} ${path}`);
    state.headers.push(new Headers(request.headers as Record<string, string>));
    if (path !== "/.well-known/oauth-authorization-server" || !(claimedIssuer ?? metadata)) {
      app(request, response);
      return;
    }
    const told = createOAuthMetadata({ provider, issuerUrl: new URL(issuer) });
    const claimed = claimedIssuer === undefined ? {} : { issuer: claimedIssuer };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ ...told, ...claimed, ...metadata }));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}/`;
  const codes = new Map<string, Grant & { challenge: string; redirectUri: string }>();
  const state: AuthServer = {
    issuer,
    requests: [],
    headers: [],
    clients: new Map(),
    tokens: new Map(),
    refreshTokens: new Map(),
    redirectExtra: {},
    lifetime: 3_600,
    revokeAll(refresh) {
      state.tokens.clear();
      if (refresh) state.refreshTokens.clear();
    },
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  const issue = (grant: Grant): OAuthTokens => {
    const [access, refresh] = [`access-${crypto.randomUUID()}`, `refresh-${crypto.randomUUID()}`];
    state.tokens.set(access, grant);
    state.refreshTokens.set(refresh, grant);
    return {
      access_token: access,
      refresh_token: refresh,
      token_type: "bearer",
      expires_in: state.lifetime,
      scope: grant.scopes.join(" "),
    };
  };
  const provider: OAuthServerProvider = {
    clientsStore: {
      getClient: (id) => state.clients.get(id),
      registerClient(client) {
        const known = client as OAuthClientInformationFull;
        state.clients.set(known.client_id, known);
        return known;
      },
    },
    async authorize(client, { scopes = [], codeChallenge, redirectUri, resource, state: given }, response) {
      const code = `code-${crypto.randomUUID()}`;
      const grant = { client: client.client_id, scopes, ...(resource ? { resource: resource.href } : {}) };
      codes.set(code, { ...grant, challenge: codeChallenge, redirectUri });
      const target = new URL(redirectUri);
      const query = { code, ...(given === undefined ? {} : { state: given }), ...state.redirectExtra };
      for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value);
      response.redirect(target.href);
    },
    async challengeForAuthorizationCode(client, code) {
      const grant = codes.get(code);
      if (grant?.client !== client.client_id) throw new InvalidGrantError("Unknown code");
      return grant.challenge;
    },
    async exchangeAuthorizationCode(client, code, _, redirectUri) {
      const grant = codes.get(code);
      codes.delete(code);
      if (grant?.client !== client.client_id || grant.redirectUri !== redirectUri) {
        throw new InvalidGrantError("Unknown code");
      }
      return issue({
        client: grant.client,
        scopes: grant.scopes,
        ...(grant.resource ? { resource: grant.resource } : {}),
      });
    },
    async exchangeRefreshToken(client, token) {
      const grant = state.refreshTokens.get(token);
      // Each works once, as with servers that rotate them.
      state.refreshTokens.delete(token);
      if (grant?.client !== client.client_id) throw new InvalidGrantError("Unknown refresh token");
      return issue(grant);
    },
    async verifyAccessToken(token) {
      const grant = state.tokens.get(token);
      if (!grant) throw new InvalidTokenError("Unknown token");
      return { token, clientId: grant.client, scopes: [...grant.scopes] };
    },
    async revokeToken(_, { token }) {
      state.tokens.delete(token);
      state.refreshTokens.delete(token);
    },
  };
  const unlimited = { rateLimit: false } as const;
  app.use(
    mcpAuthRouter({
      provider,
      issuerUrl: new URL(issuer),
      authorizationOptions: unlimited,
      clientRegistrationOptions: unlimited,
      revocationOptions: unlimited,
      tokenOptions: unlimited,
    }),
  );
  return state;
}

export interface ProtectedServer extends TestServer {
  /** The token of every request, or null. */
  readonly seen: (string | null)[];
  /** Scopes that a call to a tool requires. */
  callScope: string | undefined;
}

/** A server that only answers with a token that `auth` issued for it. */
export function protect(auth: AuthServer, inner: (request: Request) => Response | Promise<Response>): ProtectedServer {
  const seen: (string | null)[] = [];
  const server = serveHttp(async (request) => {
    const { pathname, origin } = new URL(request.url);
    const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
    if (pathname === "/.well-known/oauth-protected-resource/mcp") {
      return Response.json({ resource: `${origin}/mcp`, authorization_servers: [auth.issuer] });
    }
    if (pathname.startsWith("/.well-known/")) return new Response("", { status: 404 });
    const token = request.headers.get("authorization")?.replace("Bearer ", "") ?? null;
    seen.push(token);
    const challenge = (status: number, parameters: string) =>
      new Response("", {
        status,
        headers: { "www-authenticate": `Bearer resource_metadata="${metadata}", ${parameters}` },
      });
    const grant = token === null ? undefined : auth.tokens.get(token);
    if (!grant || grant.resource !== `${origin}/mcp`) return challenge(401, 'scope="tools"');
    const body = request.method === "POST" ? await request.clone().text() : "";
    const { callScope } = state;
    if (callScope !== undefined && body.includes('"tools/call"') && !grant.scopes.includes(callScope)) {
      return challenge(403, `error="insufficient_scope", scope="${callScope}"`);
    }
    return inner(request);
  });
  const state: ProtectedServer = { ...server, seen, callScope: undefined };
  return state;
}

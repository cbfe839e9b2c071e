// An authorization server that forgives nothing, below a path of its own, and a server that accepts its tokens. What a
// client does wrong is refused and noted.

import { sessionServer } from "../../../packages/mcp/src/remote/remote-servers.test-support.ts";

export interface StrictOptions {
  /** Where its description is: RFC 8414 puts the path behind the well-known part, OpenID in front of it. */
  readonly discovery?: "oauth" | "openid";
  /** Where the server describes itself; `none` of the challenges says where. */
  readonly resourceMetadata?: "named" | "below-path" | "at-root";
  readonly registers?: boolean;
  readonly acceptsDocuments?: boolean;
}

interface Grant {
  readonly client: string;
  readonly scope: string;
  readonly family: string;
}

export interface StrictServers extends AsyncDisposable {
  readonly issuer: string;
  /** The address of the protected server. */
  readonly url: string;
  /** Every rule that a client broke. */
  readonly violations: readonly string[];
  /** Each scope that was asked for. */
  readonly scopes: readonly string[];
  readonly clients: ReadonlySet<string>;
  readonly refreshes: number;
  /** Access tokens are worthless from now on; with `all`, refresh tokens too. */
  revoke(all: boolean): void;
  /** A call of a tool requires this scope. */
  callScope: string | undefined;
}

const TENANT = "/tenant/one";

export function startStrict(options: StrictOptions = {}): StrictServers {
  const { discovery = "oauth", resourceMetadata = "named", registers = true, acceptsDocuments = false } = options;
  const violations: string[] = [];
  const scopes: string[] = [];
  const clients = new Set<string>(["configured"]);
  const codes = new Map<string, Grant & { readonly challenge: string; readonly redirect: string }>();
  const access = new Map<string, Grant>();
  const refresh = new Map<string, Grant>();
  const spent = new Map<string, Grant>();
  let refreshes = 0;

  const refuse = (rule: string, error = "invalid_request") => {
    violations.push(rule);
    return Response.json({ error, error_description: rule }, { status: 400 });
  };
  const endFamily = (family: string) => {
    for (const tokens of [access, refresh])
      for (const [token, grant] of tokens) if (grant.family === family) tokens.delete(token);
  };
  const issue = (grant: Grant) => {
    const [token, next] = [crypto.randomUUID(), crypto.randomUUID()];
    access.set(token, grant);
    refresh.set(next, grant);
    const answer = { access_token: token, refresh_token: next, token_type: "Bearer", expires_in: 3_600 };
    return Response.json({ ...answer, scope: grant.scope }, { headers: { "cache-control": "no-store" } });
  };
  const isKnown = (client: string) => clients.has(client) || (acceptsDocuments && client.startsWith("https://"));

  function authorize(query: URLSearchParams): Response {
    const get = (name: string) => query.get(name) ?? "";
    const redirect = get("redirect_uri");
    if (!isKnown(get("client_id"))) return refuse(`the client "${get("client_id")}" is not known`);
    if (!/^http:\/\/(?:localhost|127\.0\.0\.1):\d+\/callback$/.test(redirect))
      return refuse(`redirects to ${redirect}`);
    if (get("response_type") !== "code") return refuse("asks for no code");
    if (get("code_challenge_method") !== "S256" || get("code_challenge").length !== 43) return refuse("has no PKCE");
    if (get("resource") !== url) return refuse(`asks for the resource "${get("resource")}"`);
    if (get("state").length < 16) return refuse("has no state");
    scopes.push(get("scope"));
    const code = crypto.randomUUID();
    const grant = { client: get("client_id"), scope: get("scope"), family: crypto.randomUUID() };
    codes.set(code, { ...grant, challenge: get("code_challenge"), redirect });
    const target = new URL(redirect);
    target.search = new URLSearchParams({ code, state: get("state"), iss: issuer }).toString();
    return Response.redirect(target.href, 302);
  }

  function token(form: URLSearchParams): Response {
    const get = (name: string) => form.get(name) ?? "";
    if (!isKnown(get("client_id"))) return refuse("a token for a client that is not known", "invalid_client");
    if (get("resource") !== url) return refuse(`a token for the resource "${get("resource")}"`, "invalid_target");
    if (get("grant_type") === "authorization_code") {
      const grant = codes.get(get("code"));
      codes.delete(get("code"));
      if (!grant || grant.client !== get("client_id")) return refuse("a code that is not known", "invalid_grant");
      if (grant.redirect !== get("redirect_uri")) return refuse("another redirect address", "invalid_grant");
      const hash = new Bun.CryptoHasher("sha256").update(get("code_verifier")).digest("base64url");
      if (hash !== grant.challenge) return refuse("a wrong code verifier", "invalid_grant");
      return issue({ client: grant.client, scope: grant.scope, family: grant.family });
    }
    if (get("grant_type") !== "refresh_token") return refuse("another kind of grant", "unsupported_grant_type");
    const stolen = spent.get(get("refresh_token"));
    if (stolen) {
      endFamily(stolen.family);
      return refuse("a refresh token that was used before", "invalid_grant");
    }
    const grant = refresh.get(get("refresh_token"));
    // Not a mistake: it may have been revoked.
    if (grant?.client !== get("client_id")) return Response.json({ error: "invalid_grant" }, { status: 400 });
    refreshes++;
    refresh.delete(get("refresh_token"));
    spent.set(get("refresh_token"), grant);
    return issue(grant);
  }

  const authorization = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request): Promise<Response> {
      const { pathname, searchParams } = new URL(request.url);
      const described =
        discovery === "oauth"
          ? `/.well-known/oauth-authorization-server${TENANT}`
          : `${TENANT}/.well-known/openid-configuration`;
      if (pathname === described) return Response.json(description());
      if (pathname === `${TENANT}/authorize` && request.method === "GET") return authorize(searchParams);
      if (request.method !== "POST") return new Response("", { status: 404 });
      if (pathname === `${TENANT}/register` && registers) {
        const { redirect_uris, token_endpoint_auth_method } = (await request.json()) as Record<string, unknown>;
        if (token_endpoint_auth_method !== "none") return refuse("registers as a client with a secret");
        const client_id = crypto.randomUUID();
        clients.add(client_id);
        return Response.json({ client_id, redirect_uris, token_endpoint_auth_method }, { status: 201 });
      }
      if (!request.headers.get("content-type")?.startsWith("application/x-www-form-urlencoded"))
        return refuse("sends no form");
      if (pathname === `${TENANT}/token`) return token(new URLSearchParams(await request.text()));
      return refuse(`asks for ${pathname}`);
    },
  });
  const issuer: string = `http://127.0.0.1:${authorization.port}${TENANT}`;
  const description = (): object => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    ...(registers ? { registration_endpoint: `${issuer}/register` } : {}),
    ...(acceptsDocuments ? { client_id_metadata_document_supported: true } : {}),
    ...(discovery === "openid"
      ? {
          jwks_uri: `${issuer}/jwks`,
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["RS256"],
        }
      : {}),
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    authorization_response_iss_parameter_supported: true,
  });

  const calc = sessionServer();
  const WELL_KNOWN = "/.well-known/oauth-protected-resource";
  const resource = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request): Promise<Response> {
      const { pathname, origin } = new URL(request.url);
      const described = { named: "/about-me", "below-path": `${WELL_KNOWN}/mcp`, "at-root": WELL_KNOWN }[
        resourceMetadata
      ];
      if (pathname === described)
        return Response.json({ resource: url, authorization_servers: [issuer], scopes_supported: ["tools"] });
      if (pathname !== "/mcp") return new Response("", { status: 404 });
      const where = resourceMetadata === "named" ? `resource_metadata="${origin}/about-me", ` : "";
      const challenge = (status: number, more: string) =>
        new Response("", { status, headers: { "www-authenticate": `Bearer ${where}${more}` } });
      const grant = access.get(request.headers.get("authorization")?.replace("Bearer ", "") ?? "");
      if (!grant) return challenge(401, 'error="invalid_token"');
      const body = request.method === "POST" ? await request.clone().text() : "";
      const { callScope } = servers;
      if (callScope && body.includes('"tools/call"') && !grant.scope.split(" ").includes(callScope))
        return challenge(403, `error="insufficient_scope", scope="${callScope}"`);
      return calc.fetch(request);
    },
  });
  const url: string = `http://127.0.0.1:${resource.port}/mcp`;
  const servers: StrictServers = {
    issuer,
    url,
    violations,
    scopes,
    clients,
    get refreshes() {
      return refreshes;
    },
    revoke(all) {
      access.clear();
      if (all) refresh.clear();
    },
    callScope: undefined,
    async [Symbol.asyncDispose]() {
      await Promise.all([authorization.stop(true), resource.stop(true)]);
    },
  };
  return servers;
}

// One sign-in as the official OAuth code sees it: which client we are, and where to keep what the server gives us. Lives
// in memory; the caller stores the result.

import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
} from "@modelcontextprotocol/client";
import type { McpOAuthConfig } from "@keelson/protocol";
import type { AuthorizationServer, SignInRecord } from "./storage.ts";

export interface SignInProviderOptions {
  /** What is stored from earlier sign-ins. */
  readonly record: SignInRecord | undefined;
  readonly oauth: McpOAuthConfig;
  readonly redirectUrl: string;
  readonly state: string;
  readonly clientSecret?: string;
  /** Where the configuration names the authorization server. */
  readonly configured?: AuthorizationServer;
}

/** What the steps of a sign-in left behind. */
export interface SignInState {
  authorizationUrl?: URL;
  codeVerifier?: string;
  client?: StoredOAuthClientInformation;
  discovery?: OAuthDiscoveryState;
  resource?: string;
}

export function signInProvider(options: SignInProviderOptions): [OAuthClientProvider, SignInState] {
  const { record, oauth, redirectUrl, clientSecret, configured } = options;
  const state: SignInState = {
    // A registration is for one redirect address.
    ...(record?.client && record.redirectUrl === redirectUrl ? { client: record.client } : {}),
    ...(configured
      ? { discovery: { authorizationServerUrl: configured.url, authorizationServerMetadata: configured.metadata } }
      : {}),
  };
  const documentUrl = isDocumentUrl(oauth.clientId) ? oauth.clientId : undefined;
  const clientId = documentUrl === undefined ? oauth.clientId : undefined;
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      client_name: "Keelson",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      ...(oauth.scopes === undefined ? {} : { scope: oauth.scopes }),
    },
    ...(documentUrl === undefined ? {} : { clientMetadataUrl: documentUrl }),
    state: () => options.state,
    clientInformation(context) {
      if (clientId === undefined) return state.client;
      // A secret stays with the authorization server that it was first used at.
      const issuer = record?.client?.client_id === clientId ? record.client.issuer : context?.issuer;
      return (state.client = {
        client_id: clientId,
        ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
        ...(issuer === undefined ? {} : { issuer }),
      });
    },
    ...(clientId === undefined ? { saveClientInformation: (client) => void (state.client = client) } : {}),
    // Whoever signs in wants new tokens.
    tokens: () => undefined,
    saveTokens: () => undefined,
    redirectToAuthorization: (url) => void (state.authorizationUrl = url),
    saveCodeVerifier: (verifier) => void (state.codeVerifier = verifier),
    codeVerifier: () => state.codeVerifier ?? "",
    saveResourceUrl: (resource) => void (state.resource = String(resource)),
    discoveryState: () => state.discovery,
    saveDiscoveryState: (discovery) => void (state.discovery = discovery),
    invalidateCredentials(scope) {
      if (scope === "client" || scope === "all") delete state.client;
    },
  };
  return [provider, state];
}

/** Whether a client id is the address of a document that describes the client. */
export function isDocumentUrl(clientId: string | undefined): clientId is string {
  return clientId !== undefined && /^https:\/\/[^/]+\/./.test(clientId);
}

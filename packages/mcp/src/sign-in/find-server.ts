// Finds the authorization server of a server and begins a sign-in there.
//
// Servers of the protocol of March 2025 describe their authorization server themselves, often under the name of the real
// one. The name decides which redirects are accepted and which client is used, so it holds only if its owner describes
// the same server. Otherwise the authorization server is known by the address where the description was found.

import {
  auth,
  discoverAuthorizationServerMetadata,
  discoverOAuthServerInfo,
  IssuerMismatchError,
  type AuthorizationServerMetadata,
  type OAuthClientProvider,
} from "@modelcontextprotocol/client";
import type { RemoteFetch } from "../remote/guarded-fetch.ts";
import type { SignInState } from "./provider.ts";

type FindOptions = Parameters<typeof auth>[1] & { readonly fetchFn: RemoteFetch };

export async function findServer(
  provider: OAuthClientProvider,
  state: SignInState,
  options: FindOptions,
): Promise<void> {
  let namesAnother = false;
  const fetchFn: RemoteFetch = async (url, init) => {
    const response = await options.fetchFn(url, init);
    namesAnother ||= response.ok && /oauth-protected-resource/.test(String(url));
    return response;
  };
  try {
    await auth(provider, { ...options, fetchFn });
  } catch (error) {
    const isNamedOtherwise = IssuerMismatchError.isInstance(error) && error.kind === "metadata";
    if (!isNamedOtherwise || namesAnother || options.resourceMetadataUrl) throw error;
    const found = await discoverOAuthServerInfo(options.serverUrl, {
      fetchFn: options.fetchFn,
      skipIssuerMetadataValidation: true,
    });
    const { authorizationServerUrl, authorizationServerMetadata: metadata } = found;
    if (!metadata) throw error;
    const issuer = (await isConfirmed(metadata, options.fetchFn)) ? metadata.issuer : authorizationServerUrl;
    state.discovery = { authorizationServerUrl, authorizationServerMetadata: { ...metadata, issuer } };
    await auth(provider, options);
  }
}

/** Whether the owner of the name sends users and codes to the same places. */
async function isConfirmed(claimed: AuthorizationServerMetadata, fetchFn: RemoteFetch): Promise<boolean> {
  try {
    const own = await discoverAuthorizationServerMetadata(claimed.issuer, { fetchFn });
    return (
      own?.authorization_endpoint === claimed.authorization_endpoint && own.token_endpoint === claimed.token_endpoint
    );
  } catch {
    return false;
  }
}

// The description of an authorization server at an address that the configuration names, instead of where the server
// says it is.

import type { AuthorizationServerMetadata } from "@modelcontextprotocol/client";
import { isObject } from "@keelson/protocol";
import type { RemoteFetch } from "../remote/guarded-fetch.ts";
import { SignInError } from "./errors.ts";
import type { AuthorizationServer } from "./storage.ts";

export async function metadataAt(address: string, fetch: RemoteFetch): Promise<AuthorizationServer> {
  const url = URL.parse(address);
  if (!url || (url.protocol !== "https:" && !isLoopback(url))) {
    throw new SignInError(`oauth.authServerMetadataUrl must be an https address, not ${JSON.stringify(address)}`);
  }
  const response = await fetch(url, { headers: { accept: "application/json" } });
  if (!response.ok)
    throw new SignInError(`"${url.host}" answered with HTTP ${response.status} to oauth.authServerMetadataUrl`);
  const metadata: unknown = await response.json().catch(() => undefined);
  if (!isMetadata(metadata)) {
    throw new SignInError(`oauth.authServerMetadataUrl does not describe an authorization server: ${address}`);
  }
  return { url: metadata.issuer, metadata };
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "127.0.0.1" || hostname === "[::1]";
}

function isMetadata(value: unknown): value is AuthorizationServerMetadata {
  return (
    isObject(value) &&
    [value["issuer"], value["authorization_endpoint"], value["token_endpoint"]].every(
      (address) => typeof address === "string" && URL.canParse(address),
    ) &&
    Array.isArray(value["response_types_supported"])
  );
}

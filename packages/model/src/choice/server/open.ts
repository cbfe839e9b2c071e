// Opens a provider: its server with address and credentials, and the dialect to speak to it, which is loaded now.

import type { ProviderApi } from "@keelson/protocol";
import type { Dialect } from "../../dialect.ts";
import type { MessagesCloud } from "../../messages/clouds.ts";
import { fetchOptionsFrom } from "../../http/network.ts";
import { positiveInteger } from "../../profiles/profiles.ts";
import { anthropicOptions, type ResolveOptions } from "../../resolve.ts";
import type { PlainProvider } from "../../wrappers/retry.ts";
import type { Server } from "../../http/server.ts";
import { providerAddress, type Address } from "./address.ts";
import { isCloud } from "../names/clouds.ts";
import { findKey, keyCredentials, missingKey, type KeyFacts, type KeySource } from "./credentials.ts";
import { withOwnNames } from "./edge.ts";
import { withLossesOnce } from "./losses.ts";
import { blockOf, type Destination } from "../names/names.ts";
import { PROVIDERS, type KeyHeader } from "../known/providers.ts";
import { modelOf } from "../known/traits.ts";

export interface OpenedServer {
  readonly server: Server;
  readonly dialect: Dialect;
  readonly api: ProviderApi;
  /** A variable, `apiKeyHelper`, `/login managed key` or `none`. */
  readonly keyFrom: string;
  /** Whether it is the vendor's own address. */
  readonly isVendor: boolean;
}

export function keyFacts({ env, network, settings = {}, sources, memory }: ResolveOptions): KeyFacts {
  return {
    // The settings may have an `env` of their own, which is part of the environment already.
    ...settings,
    env,
    ...(network ? { network } : {}),
    ...(sources ? { sources, hasStoredKey: (provider) => sources.hasStoredKey(provider) } : {}),
    ...(memory ? { memory } : {}),
  };
}

/** Throws ModelError if the provider has no address, or is a vendor without a key. Loads nothing. */
export async function checkCredentials(
  { provider }: Pick<Destination, "provider">,
  options: ResolveOptions,
): Promise<void> {
  // Clouds look for theirs in many places, at the first request.
  if (isCloud(provider)) return;
  const facts = keyFacts(options);
  const { isVendor } = providerAddress({ provider }, facts);
  if (isVendor && (await findKey(provider, facts)) === undefined) throw missingKey(provider, facts);
}

/** Throws ModelError if the provider has no address, or is a vendor without a key. */
export async function openModelServer(
  destination: Pick<Destination, "provider" | "id">,
  options: ResolveOptions,
): Promise<OpenedServer> {
  const { provider } = destination;
  const facts = keyFacts(options);
  const cloud = await openCloud(provider, facts, options);
  if (cloud) return cloud;
  const address = providerAddress(destination, facts);
  const key = await findKey(provider, facts);
  if (key === undefined && address.isVendor) throw missingKey(provider, facts);
  return {
    server: serverAt(provider, address, key, options),
    dialect: await loadDialect(address.api, options),
    api: address.api,
    keyFrom: key?.from ?? "none",
    isVendor: address.isVendor,
  };
}

/** Clouds find their credentials in ways of their own. A key from a block or the keychain comes first. */
async function openCloud(
  provider: string,
  facts: KeyFacts,
  options: ResolveOptions,
): Promise<OpenedServer | undefined> {
  const block = blockOf(provider, facts.providers);
  const api = block?.api ?? (Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider]!.api : undefined);
  const cloud = api === "bedrock" || api === "vertex" ? api : api === "anthropic" ? messagesCloud(provider) : undefined;
  if (api === undefined || cloud === undefined) return undefined;
  const { openBedrock, openVertex, openMessagesCloud } = await import("./cloud-servers.ts");
  const key = await findKey(provider, facts);
  const { keys, header } = PROVIDERS[cloud]!;
  const isOwnKey = key !== undefined && !keys.includes(key.from);
  const own = serverParts(provider, options);
  const parts = {
    ...own,
    headers: { ...anthropicOptions(options).headers, ...own.headers },
    ...(isOwnKey ? { credentials: keyCredentials(provider, header, key) } : {}),
  };
  const open = { bedrock: openBedrock, vertex: openVertex };
  const found = await (cloud === "bedrock" || cloud === "vertex"
    ? open[cloud](options, parts, block?.baseUrl)
    : openMessagesCloud(cloud, options, parts, block?.baseUrl));
  const server = { ...found, provider, ...(isOwnKey ? { credentials: parts.credentials! } : {}) };
  return { server, dialect: await loadDialect(api, options), api, keyFrom: key?.from ?? "none", isVendor: true };
}

function messagesCloud(provider: string): MessagesCloud | undefined {
  return provider === "foundry" || provider === "mantle" || provider === "anthropic-aws" ? provider : undefined;
}

function serverAt(provider: string, address: Address, key: KeySource | undefined, options: ResolveOptions): Server {
  const parts = serverParts(provider, options);
  const isChanged = blockOf(provider, options.settings?.providers)?.api !== undefined;
  return {
    ...parts,
    provider,
    baseUrl: address.baseUrl,
    addressFrom: address.from,
    credentials: keyCredentials(provider, headerFor(provider, address.api, key, isChanged), key),
    query: { ...address.query, ...parts.query },
  };
}

/** What the settings and the environment say about any server. */
function serverParts(provider: string, { env, network = env, fetch, settings, gatherMs }: ResolveOptions) {
  const block = blockOf(provider, settings?.providers);
  const timeoutMs = positiveInteger(env["API_TIMEOUT_MS"]);
  const idleTimeoutMs = positiveInteger(env["CLAUDE_STREAM_IDLE_TIMEOUT_MS"]);
  return {
    ...(block?.headers ? { headers: block.headers } : {}),
    ...(block?.query ? { query: block.query } : {}),
    fetchOptions: fetchOptionsFrom(provider === "anthropic" ? env : network),
    ...(fetch ? { fetch } : {}),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
    gatherMs,
  };
}

const HEADERS: Readonly<Partial<Record<ProviderApi, KeyHeader>>> = {
  anthropic: "x-api-key",
  gemini: "x-goog-api-key",
};

function headerFor(provider: string, api: ProviderApi, key: KeySource | undefined, isChanged: boolean): KeyHeader {
  if (key?.from.endsWith("_AUTH_TOKEN")) return "bearer";
  const known = Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider] : undefined;
  // A block may change the API of a provider, and so how its key is sent.
  return known && (!isChanged || known.api === api) ? known.header : (HEADERS[api] ?? "bearer");
}

async function loadDialect(api: ProviderApi, options: ResolveOptions): Promise<Dialect> {
  const given = options.dialects?.[api];
  if (given) return given;
  switch (api) {
    case "anthropic": {
      const { sessionId, entrypoint, clientApp, extraBody } = anthropicOptions(options);
      const { messagesDialect } = await import("./messages-dialect.ts");
      return messagesDialect({ sessionId, entrypoint, clientApp }, extraBody);
    }
    case "openai-chat":
      return (await import("../../openai/chat.ts")).chatDialect;
    case "openai-responses":
      return (await import("../../openai/responses.ts")).responsesDialect;
    case "gemini":
      return (await import("../../gemini/gemini.ts")).geminiDialect;
    case "vertex":
      return (await import("../../vertex/vertex.ts")).vertexDialect;
    case "bedrock":
      return (await import("../../bedrock/bedrock.ts")).bedrockDialect;
  }
}

/** One attempt per request, under the names that the rest of the program uses. */
export async function openDestination(destination: Destination, options: ResolveOptions): Promise<OpenedProvider> {
  const { server, dialect, keyFrom, api, isVendor } = await openModelServer(destination, options);
  const { env, settings = {} } = options;
  const { sessionId, entrypoint, clientApp, extraBody } = anthropicOptions(options);
  const compat = blockOf(destination.provider, settings.providers)?.compat;
  const spoken = dialect.provider(server, {
    traits: (id) => modelOf({ provider: destination.provider, id, name: id }, { ...settings, env }).traits,
    ...(compat ? { compat } : {}),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(entrypoint === undefined ? {} : { entrypoint }),
    ...(clientApp === undefined ? {} : { clientApp }),
    ...(extraBody ? { extraBody } : {}),
  });
  const once = withLossesOnce(spoken, options.memory?.told ?? new Set());
  const tellsWindow = api === "openai-chat" && !isVendor;
  return { provider: withOwnNames(once, destination), server, keyFrom, tellsWindow };
}

export interface OpenedProvider {
  readonly provider: PlainProvider;
  readonly server: Server;
  readonly keyFrom: string;
  /** A server of one's own, that may know a shorter context window than the model's. */
  readonly tellsWindow: boolean;
}

// Where a provider's key comes from: a variable, a command of the user's settings, or what `keelson auth login` stored.
// Keys are in memory only, and no message contains one.

import { ModelError } from "@keelson/engine";
import { positiveInteger, type Env } from "../../profiles/profiles.ts";
import type { Credentials } from "../../http/server.ts";
import { blockOf, type NameFacts } from "../names/names.ts";
import { PROVIDERS, type KeyHeader } from "../known/providers.ts";
import type { EntraTokens } from "./entra.ts";

/** What credentials need from outside. The runtime implements it. */
export interface CredentialSources {
  /** Runs a command line of the user's or the administrator's settings. */
  runCommand(
    command: string,
    options: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<CommandEnd>;
  /** The key that `keelson auth login` stored. */
  storedKey(provider: string): Promise<string | undefined>;
  /** Whether there is one, without reading it. */
  hasStoredKey(provider: string): boolean;
}

export interface CommandEnd {
  /** Null if it was ended. */
  readonly code: number | null;
  readonly stdout: string;
}

/** What a session remembers about providers. Its models share it. */
export interface ProviderMemory {
  /** Keys of commands, by command. */
  readonly keys: Map<string, RememberedKey>;
  /** Losses that were reported to the user. */
  readonly told: Set<string>;
  /** Context windows that servers told us, by model. */
  readonly windows: Map<string, number>;
}

export interface RememberedKey {
  readonly key: Promise<string>;
  readonly at: number;
}

export interface KeyFacts extends NameFacts {
  readonly env: Env;
  /** The setting for Anthropic's own API. */
  readonly apiKeyHelper?: string;
  readonly sources?: CredentialSources;
  readonly memory?: ProviderMemory;
  /** The environment with the proxy to use. */
  readonly network?: Env;
  readonly now?: () => number;
}

export interface KeySource {
  /** A variable, `apiKeyHelper`, `/login managed key`, or `Microsoft Entra ID`. */
  readonly from: string;
  key(signal: AbortSignal): Promise<string>;
  /** Gets another key after this one was refused; false if there is none. */
  renew?(signal: AbortSignal): Promise<boolean>;
  /** The key, if it is known already. */
  known(): string | undefined;
}

export const HELPER = "apiKeyHelper";
export const ENTRA = "Microsoft Entra ID";
export const STORED = "/login managed key";
const HELPER_MS = 30_000;
const DEFAULT_TTL_MS = 5 * 60_000;

/** Where the key of a provider comes from; undefined if there is none. */
export async function findKey(provider: string, facts: KeyFacts): Promise<KeySource | undefined> {
  const { env, sources } = facts;
  const block = blockOf(provider, facts.providers);
  const known = Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider]!.keys : [];
  const variables = block?.apiKeyEnv === undefined ? known : [block.apiKeyEnv, ...known];
  const variable = variables.find((name) => env[name]?.trim());
  const own = block?.apiKeyEnv !== undefined && variable === block.apiKeyEnv;
  const helper = block?.apiKeyHelper ?? (provider === "anthropic" ? facts.apiKeyHelper : undefined);
  // A helper in the provider's own block is more specific than a variable that every program reads.
  if (variable !== undefined && (own || block?.apiKeyHelper === undefined))
    return fixedKey(variable, env[variable]!.trim());
  if (helper !== undefined && sources) return helperKey(helper, sources, facts);
  if (variable !== undefined) return fixedKey(variable, env[variable]!.trim());
  const stored = sources?.hasStoredKey(provider) ? await sources.storedKey(provider) : undefined;
  if (stored !== undefined) return fixedKey(STORED, stored);
  return ENTRA_PROVIDERS.has(provider) && isApplication(env) ? entraKey(facts) : undefined;
}

const ENTRA_PROVIDERS = new Set(["azure", "foundry"]);

/** The variables of Microsoft's own programs. */
const isApplication = (env: Env) =>
  [["AZURE_TENANT_ID"], ["AZURE_CLIENT_ID"], ["AZURE_CLIENT_SECRET", "AZURE_FEDERATED_TOKEN_FILE"]].every((names) =>
    names.some((name) => env[name]?.trim()),
  );

function entraKey({ env, network = env, now = Date.now }: KeyFacts): KeySource {
  let tokens: Promise<EntraTokens> | undefined;
  let opened: EntraTokens | undefined;
  const open = async () => (opened = new (await import("./entra.ts")).EntraTokens(env, network, now));
  return {
    from: ENTRA,
    key: async () => (await (tokens ??= open())).current(),
    renew: async () => {
      const refused = opened?.latest;
      return (await (await (tokens ??= open())).renewed()) !== refused;
    },
    known: () => opened?.latest,
  };
}

function fixedKey(from: string, key: string): KeySource {
  return { from, key: async () => key, known: () => key };
}

function helperKey(command: string, sources: CredentialSources, facts: KeyFacts): KeySource {
  const { now = Date.now, env, memory } = facts;
  const keys = memory?.keys ?? new Map<string, RememberedKey>();
  const ttlMs = positiveInteger(env["CLAUDE_CODE_API_KEY_HELPER_TTL_MS"]) ?? DEFAULT_TTL_MS;
  let latest: string | undefined;
  const ask = (signal: AbortSignal) => {
    const key = runHelper(command, sources, signal);
    keys.set(command, { key, at: now() });
    // A failure is not remembered.
    key.catch(() => keys.delete(command));
    return key;
  };
  return {
    from: HELPER,
    async key(signal) {
      const remembered = keys.get(command);
      const isFresh = remembered !== undefined && now() - remembered.at < ttlMs;
      return (latest = await (isFresh ? remembered.key : ask(signal)));
    },
    async renew(signal) {
      const refused = latest;
      const remembered = await keys.get(command)?.key.catch(() => undefined);
      // Another request may have renewed it already.
      if (remembered !== undefined && remembered !== refused) return true;
      latest = await ask(signal);
      return true;
    },
    known: () => latest,
  };
}

async function runHelper(command: string, sources: CredentialSources, signal: AbortSignal): Promise<string> {
  const { code, stdout } = await sources.runCommand(command, { timeoutMs: HELPER_MS, signal });
  const key = stdout.trim();
  if (code === 0 && key !== "") return key;
  const why = code === 0 ? "printed nothing" : code === null ? "was ended" : `failed with exit code ${code}`;
  throw new ModelError("authentication_failed", `The command of apiKeyHelper ${why}; run it in a terminal to see why`);
}

/** Sends a key with every request. Without a source, requests have none. */
export function keyCredentials(provider: string, header: KeyHeader, source: KeySource | undefined): Credentials {
  return {
    async authorize({ headers }) {
      if (!source) return;
      const key = await source.key(new AbortController().signal);
      try {
        // Gateways want the one or the other; the reference sends a helper's key as both.
        const isBoth = provider === "anthropic" && source.from === HELPER;
        const sent = source.from === ENTRA ? "bearer" : header;
        if (sent === "bearer" || isBoth) headers.set("authorization", `Bearer ${key}`);
        if (sent !== "bearer") headers.set(sent, key);
      } catch {
        // The runtime's error quotes the key.
        throw new ModelError(
          "authentication_failed",
          `The key of "${provider}" (${source.from}) has characters that a header cannot have; check for line breaks`,
        );
      }
    },
    ...(source?.renew ? { renew: (signal) => source.renew!(signal) } : {}),
    secrets: () => {
      const key = source?.known();
      return key === undefined ? [] : [key];
    },
  };
}

/** The error before any request to a vendor. */
export function missingKey(provider: string, { providers }: NameFacts): ModelError {
  const block = blockOf(provider, providers);
  const known = Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider]!.keys : [];
  const variable = block?.apiKeyEnv ?? known[0];
  return new ModelError(
    "authentication_failed",
    `No key for "${provider}": set ${variable ?? `"apiKeyEnv" in providers.${provider}`}, or run keelson auth login ${provider}`,
  );
}

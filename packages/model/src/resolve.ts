// Turns a model name and the environment into a provider. The only place that reads credentials.

import { isObject, isVariableOn, tryParse, type JsonObject, type ProviderApi } from "@keelson/protocol";
import { ModelError, type ModelChoice, type ModelProvider } from "@keelson/engine";
import { anthropicProvider, type AnthropicOptions } from "./messages/anthropic.ts";
import { withBounds } from "./wrappers/bounds.ts";
import type { CredentialSources, ProviderMemory } from "./choice/server/credentials.ts";
import type { Dialect } from "./dialect.ts";
import type { Fetch } from "./http/http-call.ts";
import { fetchOptionsFrom } from "./http/network.ts";
import { withPauses } from "./http/pauses.ts";
import {
  EFFORT_BETA,
  LONG_CONTEXT_BETA,
  lookUpClaude,
  MAX_FALLBACKS,
  mayLeadElsewhere,
  OFFLINE_ID,
  positiveInteger,
  resolveAlias,
  type Env,
  type KnownModel,
  type ModelSettings,
} from "./profiles/profiles.ts";
import type * as Fallback from "./wrappers/fallback.ts";
import { sleep, withRetry, type PlainProvider, type RetryOptions, type Wait } from "./wrappers/retry.ts";

export interface ResolveOptions {
  /** An id or alias. Defaults to `ANTHROPIC_MODEL`, then to the default model. */
  readonly model?: string;
  readonly fallbackModels?: readonly string[];
  readonly env: Env;
  /** Names the proxy and the certificates for other servers than Anthropic's. Defaults to `env`. */
  readonly network?: Env;
  readonly sessionId?: string;
  readonly entrypoint?: string;
  readonly effort?: string;
  readonly thinkingTokens?: number;
  readonly betas?: readonly string[];
  readonly metadata?: JsonObject;
  /** From the settings of the user and the administrator. */
  readonly settings?: ModelSettings & CredentialCommands;
  /** Commands and stored keys. Without it, credentials come from variables and files only. */
  readonly sources?: CredentialSources;
  /** Whether to say in `announce` which fallback models are not used. */
  readonly announcesUnused?: boolean;
  /** Shared by the models of a session. */
  readonly memory?: ProviderMemory;
  /** Without credentials for Anthropic, a name that leads there is an error, not the offline model. */
  readonly needsCredentials?: boolean;
  /** Instead of our own, for tests. */
  readonly dialects?: Partial<Record<ProviderApi, Dialect>>;
  /** Joins the deltas that arrive within this time. Defaults to passing each on. */
  readonly gatherMs?: number | undefined;
  readonly fetch?: Fetch;
  readonly wait?: Wait;
  readonly random?: () => number;
}

/** Command lines of the settings that print or renew credentials. */
export interface CredentialCommands {
  readonly apiKeyHelper?: string;
  readonly awsAuthRefresh?: string;
  readonly awsCredentialExport?: string;
  readonly gcpAuthRefresh?: string;
}

export interface ResolvedModel extends ModelChoice {
  /** Where the credentials come from; `base-url` is a URL without credentials. `provider`: it is not Anthropic's API. */
  readonly source: "api-key" | "auth-token" | "base-url" | "helper" | "stored" | "offline" | "provider";
  /** The value for `system/init`: a variable, `apiKeyHelper`, `/login managed key` or `none`. */
  readonly apiKeySource: string;
  /** Absent for Anthropic's own API and the offline model. */
  readonly providerName?: string;
  /** A sentence to show the user. */
  readonly announce?: string;
}

/** Throws ModelError, with the name of the variable, if a variable is invalid. */
export async function resolveModel(options: ResolveOptions): Promise<ResolvedModel> {
  const resolved = await resolveAny(options);
  if (!isVariableOn(options.env["CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS"])) return resolved;
  return (await import("./choice/signed-out.ts")).orSignedOut(resolved, options);
}

async function resolveAny(options: ResolveOptions): Promise<ResolvedModel> {
  const { env } = options;
  const name = wantedModel(options) ?? "default";
  if (isOffline(name, env)) return resolveOffline({ wanted: true });
  // Loaded only for other providers, and to find out if there is one.
  if (mayNeedChoice(name, options)) return (await import("./choice/choose.ts")).chooseProvider(options);

  const { apiKey, authToken } = ownCredentials(env);
  return assembleModel(options, {
    known: lookUpClaude(name, env),
    provider: anthropicProvider(anthropicOptions(options)),
    fallbacks: fallbackNames(options).map((each) => lookUpClaude(each, env)),
    source: authToken ? "auth-token" : apiKey ? "api-key" : "base-url",
    apiKeySource: apiKey && !authToken ? "ANTHROPIC_API_KEY" : "none",
  });
}

/**
 * The name of the model that an agent, a skill, a hook or a side question names, in a session with this model. Aliases
 * of Claude do not leave the session's provider.
 */
export async function besideName(
  name: string,
  session: Pick<ResolvedModel, "profile" | "providerName">,
  facts: ModelSettings & { readonly env: Env },
): Promise<string> {
  const { providerName: provider, profile } = session;
  if (provider === undefined) return name;
  return (await import("./choice/names/beside.ts")).nameBeside(name, { provider, name: profile.id }, facts);
}

/** The name that flags, settings or the environment give. */
export const wantedModel = ({ model, env }: ResolveOptions): string | undefined =>
  model || trimmed(env["ANTHROPIC_MODEL"]);

export const fallbackNames = ({ fallbackModels = [] }: ResolveOptions): readonly string[] =>
  fallbackModels.slice(0, MAX_FALLBACKS);

export const isOffline = (name: string, env: Env): boolean => resolveAlias(name.trim(), env) === OFFLINE_ID;

function mayNeedChoice(name: string, { env, settings = {}, ...options }: ResolveOptions): boolean {
  const { apiKey, authToken, baseUrl } = ownCredentials(env);
  if (!(apiKey || authToken) && (!baseUrl || settings.apiKeyHelper)) return true;
  // Anthropic has no such model; a gateway may.
  if (!baseUrl && !resolveAlias(name.trim(), env).startsWith("claude")) return true;
  return [name, ...fallbackNames({ ...options, env })].some((each) => mayLeadElsewhere(each, env, settings));
}

export function ownCredentials(env: Env) {
  return {
    apiKey: trimmed(env["ANTHROPIC_API_KEY"]),
    authToken: trimmed(env["ANTHROPIC_AUTH_TOKEN"]),
    baseUrl: trimmed(env["ANTHROPIC_BASE_URL"]),
  };
}

/** How Anthropic's own API is asked. */
export function anthropicOptions({ env, sessionId, entrypoint, fetch, gatherMs }: ResolveOptions): AnthropicOptions {
  return {
    ...ownCredentials(env),
    sessionId,
    entrypoint,
    clientApp: trimmed(env["CLAUDE_AGENT_SDK_CLIENT_APP"]),
    headers: customHeaders(env["ANTHROPIC_CUSTOM_HEADERS"]),
    extraBody: extraBody(env["CLAUDE_CODE_EXTRA_BODY"]),
    fetchOptions: fetchOptionsFrom(env),
    fetch,
    timeoutMs: positiveInteger(env["API_TIMEOUT_MS"]),
    idleTimeoutMs: positiveInteger(env["CLAUDE_STREAM_IDLE_TIMEOUT_MS"]),
    gatherMs,
  };
}

export interface ModelParts {
  readonly known: KnownModel;
  /** Makes one attempt; also for the fallback models. */
  readonly provider: PlainProvider;
  readonly fallbacks: readonly KnownModel[];
  readonly source: ResolvedModel["source"];
  readonly apiKeySource: string;
  readonly providerName?: string;
  /** Names of fallback models that need credentials for Anthropic, without which they are not used. */
  readonly unusedFallbacks?: readonly string[];
}

/** The number of consecutive overload errors before switching to the next model. */
const OVERLOADS_BEFORE_FALLBACK = 3;

/** Adds retry, fallback and the parameters of requests. */
export function assembleModel(options: ResolveOptions, parts: ModelParts): ResolvedModel {
  const { env } = options;
  const { known, provider: once, fallbacks, source, apiKeySource, providerName } = parts;
  const announce = unusedNote(options, parts.unusedFallbacks);
  const retry: RetryOptions = {
    maxRetries: maxRetries(env["CLAUDE_CODE_MAX_RETRIES"]),
    plainFallback: !isVariableOn(env["CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK"]),
    wait: options.wait,
    random: options.random,
  };
  const patient = withRetry(once, retry);
  const provider: ModelProvider =
    fallbacks.length === 0
      ? patient
      : (require("./wrappers/fallback.ts") as typeof Fallback).withFallback({
          models: fallbacks,
          hasty: withRetry(once, { ...retry, maxOverloads: OVERLOADS_BEFORE_FALLBACK }),
          patient,
        });

  const thinkingTokens = thinkingTokensFor(options, known);
  const longCache = isVariableOn(env["ENABLE_PROMPT_CACHING_1H"]) && !isVariableOn(env["FORCE_PROMPT_CACHING_5M"]);
  return {
    provider: withPauses(withBounds(provider), options.wait ?? sleep),
    profile: known.profile,
    effort: known.effort && (options.effort || trimmed(env["CLAUDE_CODE_EFFORT_LEVEL"]) || known.effort),
    ...(thinkingTokens === undefined ? {} : { thinkingTokens }),
    betas: betasFor(known, longCache, options),
    cache: { enabled: !isVariableOn(env["DISABLE_PROMPT_CACHING"]), ttl: longCache ? "1h" : "5m" },
    ...(options.metadata ? { metadata: options.metadata } : {}),
    source,
    apiKeySource,
    ...(providerName === undefined ? {} : { providerName }),
    ...(announce === undefined ? {} : { announce }),
  };
}

function unusedNote(
  { announcesUnused, fallbackModels = [] }: ResolveOptions,
  unused: readonly string[] = [],
): string | undefined {
  if (!announcesUnused) return undefined;
  const notes = [
    ...(unused.length > 0
      ? [`Without a key for Anthropic, these fallback models are not used: ${unused.join(", ")}`]
      : []),
    ...(fallbackModels.length > MAX_FALLBACKS ? [`Only the first ${MAX_FALLBACKS} fallback models are used`] : []),
  ];
  return notes.length > 0 ? notes.join(". ") : undefined;
}

export async function resolveOffline({ wanted, provider }: OfflineReason): Promise<ResolvedModel> {
  // 15 ms unbundled, only without a configured model.
  const { offlineProvider } = await import("./offline/offline.ts");
  return {
    provider: offlineProvider(),
    profile: lookUpClaude(OFFLINE_ID).profile,
    betas: [],
    cache: { enabled: false, ttl: "5m" },
    source: "offline",
    apiKeySource: "none",
    announce: wanted
      ? "Using the built-in offline model, which follows simple instructions and is not a language model."
      : provider === undefined
        ? "No API key is set, so the built-in offline model answers; set ANTHROPIC_API_KEY to use a language model."
        : `No model is chosen, so the built-in offline model answers; use --model ${provider}/ID, or "model" in your settings.`,
  };
}

interface OfflineReason {
  /** Asked for by name. */
  readonly wanted: boolean;
  /** One that could be asked for. */
  readonly provider?: string;
}

/** The betas our requests need, then those the user asked for. Does not send ids that belong to the vendor's client. */
function betasFor(
  { profile, longContext }: KnownModel,
  longCache: boolean,
  { env, betas = [] }: ResolveOptions,
): string[] {
  const own = isVariableOn(env["CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS"])
    ? []
    : [
        ...(profile.thinking !== "none" && !isVariableOn(env["DISABLE_INTERLEAVED_THINKING"])
          ? ["interleaved-thinking-2025-05-14"]
          : []),
        ...(profile.effort ? [EFFORT_BETA] : []),
        ...(longContext ? [LONG_CONTEXT_BETA] : []),
        ...(longCache ? ["extended-cache-ttl-2025-04-11"] : []),
      ];
  const requested = (env["ANTHROPIC_BETAS"] ?? "").split(",").map((beta) => beta.trim());
  return [...new Set([...own, ...requested, ...betas].filter(Boolean))];
}

/** Does not disable thinking for a model that always thinks. */
function thinkingTokensFor({ env, thinkingTokens }: ResolveOptions, { alwaysThinks }: KnownModel): number | undefined {
  const limit = env["MAX_THINKING_TOKENS"]?.trim();
  const tokens =
    thinkingTokens ?? (isVariableOn(env["CLAUDE_CODE_DISABLE_THINKING"]) || limit === "0" ? 0 : positiveInteger(limit));
  return tokens === 0 && alwaysThinks ? undefined : tokens;
}

function maxRetries(value: string | undefined): number | undefined {
  if (value?.trim() === "0") return 0;
  const number = positiveInteger(value);
  return number === undefined ? undefined : Math.min(number, 15);
}

/** Parses `Name: Value` lines. Like the reference, ignores lines without a colon. */
function customHeaders(lines: string | undefined): Record<string, string> {
  const pairs = (lines ?? "").split("\n").flatMap((line) => {
    const colon = line.indexOf(":");
    return colon > 0 ? [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()] as const] : [];
  });
  return Object.fromEntries(pairs);
}

function extraBody(value: string | undefined): JsonObject | undefined {
  if (!trimmed(value)) return undefined;
  const parsed = tryParse(value!);
  if (!isObject(parsed))
    throw new ModelError("invalid_request", "CLAUDE_CODE_EXTRA_BODY is not a JSON object; fix or unset it");
  return parsed as JsonObject;
}

function trimmed(value: string | undefined): string | undefined {
  return value?.trim() || undefined;
}

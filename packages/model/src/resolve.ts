// Turns a model name and the environment into a provider. The only place that reads credentials.

import { isObject, tryParse, type JsonObject } from "@keelson/protocol";
import { ModelError, type ModelChoice, type ModelProvider } from "@keelson/engine";
import { anthropicProvider } from "./anthropic.ts";
import { EFFORT_BETA, LONG_CONTEXT_BETA, MAX_FALLBACKS, OVERLOADS_BEFORE_FALLBACK, withFallback } from "./fallback.ts";
import type { Fetch } from "./http-call.ts";
import { fetchOptionsFrom } from "./network.ts";
import { withPauses } from "./pauses.ts";
import { isEnabled, lookUpModel, OFFLINE_ID, positiveInteger, type Env, type KnownModel } from "./profiles.ts";
import { sleep, withRetry, type RetryOptions, type Wait } from "./retry.ts";

export interface ResolveOptions {
  /** An id or alias. Defaults to `ANTHROPIC_MODEL`, then to the default model. */
  readonly model?: string;
  readonly fallbackModels?: readonly string[];
  readonly env: Env;
  readonly sessionId?: string;
  readonly entrypoint?: string;
  readonly effort?: string;
  readonly thinkingTokens?: number;
  readonly betas?: readonly string[];
  readonly metadata?: JsonObject;
  readonly fetch?: Fetch;
  readonly wait?: Wait;
  readonly random?: () => number;
}

export interface ResolvedModel extends ModelChoice {
  /** Where the credentials come from; `base-url` is a URL without credentials. */
  readonly source: "api-key" | "auth-token" | "base-url" | "offline";
  /** The value for `system/init`. */
  readonly apiKeySource: "ANTHROPIC_API_KEY" | "none";
  /** A sentence to show the user. */
  readonly announce?: string;
}

/** Throws ModelError, with the name of the variable, if a variable is invalid. */
export async function resolveModel(options: ResolveOptions): Promise<ResolvedModel> {
  const { env } = options;
  const apiKey = trimmed(env["ANTHROPIC_API_KEY"]);
  const authToken = trimmed(env["ANTHROPIC_AUTH_TOKEN"]);
  const baseUrl = trimmed(env["ANTHROPIC_BASE_URL"]);
  const known = lookUpModel(options.model || trimmed(env["ANTHROPIC_MODEL"]) || "default", env);

  const wanted = known.profile.id === OFFLINE_ID;
  if (wanted || !(apiKey || authToken || baseUrl)) return resolveOffline(options, wanted);

  const anthropic = anthropicProvider({
    baseUrl,
    apiKey,
    authToken,
    sessionId: options.sessionId,
    entrypoint: options.entrypoint,
    clientApp: trimmed(env["CLAUDE_AGENT_SDK_CLIENT_APP"]),
    headers: customHeaders(env["ANTHROPIC_CUSTOM_HEADERS"]),
    extraBody: extraBody(env["CLAUDE_CODE_EXTRA_BODY"]),
    fetchOptions: fetchOptionsFrom(env),
    fetch: options.fetch,
    timeoutMs: positiveInteger(env["API_TIMEOUT_MS"]),
    idleTimeoutMs: positiveInteger(env["CLAUDE_STREAM_IDLE_TIMEOUT_MS"]),
  });
  const retry: RetryOptions = {
    maxRetries: maxRetries(env["CLAUDE_CODE_MAX_RETRIES"]),
    plainFallback: !isEnabled(env["CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK"]),
    wait: options.wait,
    random: options.random,
  };
  const patient = withRetry(anthropic, retry);
  const fallbacks = (options.fallbackModels ?? []).slice(0, MAX_FALLBACKS).map((name) => lookUpModel(name, env));
  const provider: ModelProvider =
    fallbacks.length === 0
      ? patient
      : withFallback({
          models: fallbacks,
          hasty: withRetry(anthropic, { ...retry, maxOverloads: OVERLOADS_BEFORE_FALLBACK }),
          patient,
        });

  const thinkingTokens = thinkingTokensFor(options, known);
  const longCache = isEnabled(env["ENABLE_PROMPT_CACHING_1H"]) && !isEnabled(env["FORCE_PROMPT_CACHING_5M"]);
  return {
    provider: withPauses(provider, options.wait ?? sleep),
    profile: known.profile,
    effort: known.effort && (options.effort || trimmed(env["CLAUDE_CODE_EFFORT_LEVEL"]) || known.effort),
    ...(thinkingTokens === undefined ? {} : { thinkingTokens }),
    betas: betasFor(known, longCache, options),
    cache: { enabled: !isEnabled(env["DISABLE_PROMPT_CACHING"]), ttl: longCache ? "1h" : "5m" },
    ...(options.metadata ? { metadata: options.metadata } : {}),
    source: authToken ? "auth-token" : apiKey ? "api-key" : "base-url",
    apiKeySource: apiKey && !authToken ? "ANTHROPIC_API_KEY" : "none",
  };
}

async function resolveOffline({ env }: ResolveOptions, wanted: boolean): Promise<ResolvedModel> {
  // 15 ms unbundled, only without a configured model.
  const { offlineProvider } = await import("./offline/offline.ts");
  return {
    provider: offlineProvider(),
    profile: lookUpModel(OFFLINE_ID, env).profile,
    betas: [],
    cache: { enabled: false, ttl: "5m" },
    source: "offline",
    apiKeySource: "none",
    announce: wanted
      ? "Using the built-in offline model, which follows simple instructions and is not a language model."
      : "No API key is set, so the built-in offline model answers; set ANTHROPIC_API_KEY to use a language model.",
  };
}

/** The betas our requests need, then those the user asked for. Does not send ids that belong to the vendor's client. */
function betasFor(
  { profile, longContext }: KnownModel,
  longCache: boolean,
  { env, betas = [] }: ResolveOptions,
): string[] {
  const own = isEnabled(env["CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS"])
    ? []
    : [
        ...(profile.thinking !== "none" && !isEnabled(env["DISABLE_INTERLEAVED_THINKING"])
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
    thinkingTokens ?? (isEnabled(env["CLAUDE_CODE_DISABLE_THINKING"]) || limit === "0" ? 0 : positiveInteger(limit));
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

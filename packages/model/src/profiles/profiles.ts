// The table of models: output limit, context window, thinking, effort and aliases.

import type { ModelProfile } from "@keelson/engine";
import type { ProviderBlock } from "@keelson/protocol";
import { isVariableOn } from "@keelson/protocol";
import type * as LookUp from "../choice/names/look-up.ts";

export type Env = Readonly<Record<string, string | undefined>>;

interface Family {
  readonly maxTokens: number;
  /** The most that can be set. */
  readonly mostTokens: number;
  readonly contextWindow: number;
  readonly thinking: ModelProfile["thinking"];
  /** The default effort; absent if the model does not support it. */
  readonly effort?: string;
  /** Rejects `thinking: disabled`. */
  readonly alwaysThinks?: true;
}

/** A resolved model name: the id to send and the parameters that go with it. */
export interface KnownModel {
  readonly profile: ModelProfile;
  readonly effort: string | undefined;
  readonly alwaysThinks: boolean;
  /** Requested with the `[1m]` suffix, which is not part of the id, of a model whose window is usually smaller. */
  readonly longContext: boolean;
}

export const OFFLINE_ID = "keelson-offline";

const K200 = 200_000;
const M1 = 1_000_000;
const budget = { maxTokens: 32_000, mostTokens: 64_000, contextWindow: K200, thinking: "budget" } as const;
const adaptive = {
  maxTokens: 64_000,
  mostTokens: 128_000,
  contextWindow: K200,
  thinking: "adaptive",
  effort: "high",
} as const;
const newest = {
  ...adaptive,
  maxTokens: 128_000,
  contextWindow: M1,
  effort: "medium",
  alwaysThinks: true,
} as const;
const plain = (maxTokens: number) =>
  ({ maxTokens, mostTokens: maxTokens, contextWindow: K200, thinking: "none" }) as const;

const FAMILIES: Readonly<Record<string, Family>> = {
  // The values the reference sends.
  "claude-haiku-4-5": budget,
  "claude-sonnet-4-5": budget,
  "claude-sonnet-4-6": { ...adaptive, maxTokens: 32_000 },
  "claude-opus-4-6": adaptive,
  "claude-opus-4-8": adaptive,
  "claude-sonnet-5": { ...adaptive, contextWindow: M1 },
  "claude-fable-5": { ...adaptive, contextWindow: M1, alwaysThinks: true },
  "claude-opus-5-5": newest,
  "claude-sonnet-5-5": newest,
  "claude-haiku-5-5": newest,
  "claude-fable-5-2": newest,
  // The limits the vendor publishes.
  "claude-opus-4-5": { ...budget, effort: "high" },
  "claude-opus-4-7": { ...adaptive, alwaysThinks: true },
  "claude-opus-5": { ...adaptive, contextWindow: M1 },
  "claude-fable-5-1": { ...adaptive, contextWindow: M1, alwaysThinks: true },
  "claude-opus-4-1": { ...budget, mostTokens: 32_000 },
  "claude-opus-4": { ...budget, mostTokens: 32_000 },
  "claude-opus-4-0": { ...budget, mostTokens: 32_000 },
  "claude-sonnet-4": budget,
  "claude-sonnet-4-0": budget,
  "claude-3-7-sonnet": budget,
  "claude-3-5-sonnet": plain(8192),
  "claude-3-5-haiku": plain(8192),
  "claude-3-opus": plain(4096),
  "claude-3-sonnet": plain(4096),
  "claude-3-haiku": plain(4096),
  [OFFLINE_ID]: plain(8192),
};

// What the reference sends for an unknown id (profiles.test.ts, "some-new-model").
const UNKNOWN: Family = { ...adaptive, maxTokens: 32_000, mostTokens: Infinity };

interface Alias {
  /** An id, or another alias. */
  readonly id: string;
  /** On clouds, which get new models later: the vendor's full id by provider, or under `clouds` for all. */
  readonly elsewhere?: Readonly<Record<string, string>>;
  readonly variables: readonly string[];
}

// What the aliases mean in version 2.1.326 of the reference (November 2026). This is the only table of them: when a new
// model comes, change it here, and add the model to FAMILIES and to PRICES in prices.ts.
const ALIASES: Readonly<Record<string, Alias>> = {
  opus: {
    id: "claude-opus-5-5",
    elsewhere: { foundry: "claude-opus-4-6" },
    variables: ["ANTHROPIC_DEFAULT_OPUS_MODEL"],
  },
  sonnet: {
    id: "claude-sonnet-5-5",
    elsewhere: { clouds: "claude-sonnet-4-5-20250929", "anthropic-aws": "claude-sonnet-4-6" },
    variables: ["ANTHROPIC_DEFAULT_SONNET_MODEL"],
  },
  haiku: {
    id: "claude-haiku-5-5",
    elsewhere: { clouds: "claude-haiku-4-5-20251001" },
    variables: ["ANTHROPIC_DEFAULT_HAIKU_MODEL", "ANTHROPIC_SMALL_FAST_MODEL"],
  },
  fable: { id: "claude-fable-5-2", variables: ["ANTHROPIC_DEFAULT_FABLE_MODEL"] },
  best: { id: "opus", variables: [] },
  default: {
    id: "sonnet",
    elsewhere: { clouds: "opus", foundry: "sonnet" },
    variables: ["ANTHROPIC_DEFAULT_MODEL"],
  },
  offline: { id: OFFLINE_ID, variables: [] },
};

/** Whether a name, without `[1m]`, is an alias of a Claude model. */
export const isClaudeAlias = (name: string): boolean =>
  Object.hasOwn(ALIASES, name.toLowerCase()) && name.toLowerCase() !== "offline";

const LONG_CONTEXT = /\[1m\]$/i;

/** What users say about models in their settings. */
export interface ModelSettings {
  readonly providers?: Readonly<Record<string, ProviderBlock>>;
  /** The id to send, by the vendor's full id. */
  readonly modelOverrides?: Readonly<Record<string, string>>;
}

/** The switches that send every name without a provider to a cloud. The first that is on applies. */
export const CLOUD_SWITCHES: readonly (readonly [variable: string, provider: string])[] = [
  ["CLAUDE_CODE_USE_BEDROCK", "bedrock"],
  ["CLAUDE_CODE_USE_VERTEX", "vertex"],
  ["CLAUDE_CODE_USE_FOUNDRY", "foundry"],
  ["CLAUDE_CODE_USE_MANTLE", "mantle"],
  ["CLAUDE_CODE_USE_ANTHROPIC_AWS", "anthropic-aws"],
];

/** Whether a name may lead to another provider than Anthropic. */
export function mayLeadElsewhere(name: string, env: Env, { modelOverrides }: ModelSettings = {}): boolean {
  return (
    modelOverrides !== undefined ||
    resolveAlias(name.trim(), env).includes("/") ||
    CLOUD_SWITCHES.some(([variable]) => isVariableOn(env[variable]))
  );
}

/** Looks up a model by id or alias, of any provider. Never fails: an unknown id gets default values. */
export function lookUpModel(name: string, env: Env = {}, settings: ModelSettings = {}): KnownModel {
  const elsewhere = mayLeadElsewhere(name, env, settings) && otherModels().otherModel(name, { ...settings, env });
  return elsewhere || lookUpClaude(name, env);
}

/** Loaded late: a session with Anthropic's models does not need it. */
export const otherModels = () => require("../choice/names/look-up.ts") as typeof LookUp;

/** Looks up a model of Anthropic by id or alias. */
export function lookUpClaude(name: string, env: Env = {}): KnownModel {
  const resolved = resolveAlias(name.trim(), env);
  const id = resolved.replace(LONG_CONTEXT, "");
  const key = familyOf(id);
  const family = key === undefined ? UNKNOWN : FAMILIES[key]!;
  const longContext =
    LONG_CONTEXT.test(resolved) && family.contextWindow < M1 && !isVariableOn(env["CLAUDE_CODE_DISABLE_1M_CONTEXT"]);
  return {
    profile: {
      id,
      maxTokens: Math.min(positiveInteger(env["CLAUDE_CODE_MAX_OUTPUT_TOKENS"]) ?? family.maxTokens, family.mostTokens),
      contextWindow:
        positiveInteger(env["CLAUDE_CODE_MAX_CONTEXT_TOKENS"]) ?? contextWindowOf(family, longContext, env),
      thinking: family.thinking,
      effort: family.effort !== undefined,
    },
    effort: family.effort,
    alwaysThinks: family.alwaysThinks ?? false,
    longContext,
  };
}

/**
 * Resolves an alias, on a cloud if `cloud` is given, and keeps `[1m]`; returns other names unchanged. A variable may
 * contain another alias.
 */
export function resolveAlias(name: string, env: Env, cloud?: string): string {
  const bare = name.replace(LONG_CONTEXT, "");
  const key = bare.toLowerCase();
  if (!Object.hasOwn(ALIASES, key)) return name;
  const { id, elsewhere = {}, variables } = ALIASES[key]!;
  const usual = cloud === undefined ? id : (elsewhere[cloud] ?? elsewhere["clouds"] ?? id);
  const chosen = variables.map((variable) => env[variable]?.trim()).find(Boolean);
  // Remove the variables this alias used, so a cycle of aliases ends.
  const rest = { ...env, ...Object.fromEntries(variables.map((variable) => [variable, undefined])) };
  const resolved = resolveAlias(chosen ?? usual, chosen ? rest : env, cloud);
  return LONG_CONTEXT.test(name) && !LONG_CONTEXT.test(resolved) ? `${resolved}[1m]` : resolved;
}

/** The table key of an id: `claude-sonnet-4-5` for `claude-sonnet-4-5-20250929`. */
export function familyOf(id: string): string | undefined {
  const bare = bareId(id);
  return Object.hasOwn(FAMILIES, bare) ? bare : undefined;
}

/** An id without what clouds and dates add to it; the same for every spelling of a model. */
export function bareId(id: string): string {
  return id
    .toLowerCase()
    .replace(LONG_CONTEXT, "")
    .replace(/^(?:(?:[a-z]{2,6}|us-gov)\.)?anthropic[./]/, "")
    .replace(/-v\d+(?::\d+)?$/, "")
    .replace(/[-@](?:\d{8}|latest)$/, "");
}

export const LONG_CONTEXT_BETA = "context-1m-2025-08-07";
export const EFFORT_BETA = "effort-2025-11-24";
export const MAX_FALLBACKS = 3;

export function positiveInteger(value: string | undefined): number | undefined {
  const number = value?.trim() ? Number(value) : Number.NaN;
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

function contextWindowOf(family: Family, longContext: boolean, env: Env): number {
  if (isVariableOn(env["CLAUDE_CODE_DISABLE_1M_CONTEXT"])) return Math.min(family.contextWindow, K200);
  return longContext ? M1 : family.contextWindow;
}

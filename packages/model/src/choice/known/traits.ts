// What is known about a model of any provider: from the user's settings, the registry, and the table of Claude models.

import type { ModelPrice } from "@keelson/protocol";
import type { ModelTraits } from "../../dialect.ts";
import {
  familyOf,
  lookUpClaude,
  positiveInteger,
  type Env,
  type KnownModel,
  type ModelSettings,
} from "../../profiles/profiles.ts";
import { priceOfFamily } from "../../profiles/prices.ts";
import { vendorIdOf } from "../names/clouds.ts";
import { blockOf, type Destination } from "../names/names.ts";
import { registered } from "./registry.ts";

export interface OtherModel {
  readonly known: KnownModel;
  readonly traits: ModelTraits;
  readonly price?: ModelPrice;
  /** Neither the settings nor a table knows its window. */
  readonly isGuess: boolean;
  /** Whether a table knows it. */
  readonly isKnown: boolean;
}

interface TraitFacts extends ModelSettings {
  readonly env: Env;
}

const DEFAULT_WINDOW = 128_000;
const DEFAULT_MAX_TOKENS = 16_384;
const DEFAULT_EFFORT = "medium";
/** What its models do if nothing is said. */
const GEMINI_EFFORT = "high";
/** Their models mostly read pictures; those of other servers mostly do not. */
const SEEING = new Set(["openai", "azure", "gemini", "vertex", "bedrock", "xai", "openrouter", "mistral"]);
const CLAUDE_EFFORTS = ["low", "medium", "high", "xhigh", "max"];

export function modelOf({ provider, id, name, longContext }: Destination, facts: TraitFacts): OtherModel {
  const { env, providers, modelOverrides } = facts;
  const blocks = blockOf(provider, providers)?.models ?? {};
  const own = Object.hasOwn(blocks, id) ? blocks[id]! : {};
  const claude = claudeModel(vendorIdOf(id, modelOverrides), longContext === true, env);
  const found = claude?.traits ?? registered(provider, id);
  const traits: ModelTraits = {
    contextWindow: DEFAULT_WINDOW,
    maxTokens: DEFAULT_MAX_TOKENS,
    images: SEEING.has(provider),
    documents: false,
    thinking: "none",
    efforts: [],
    reasons: false,
    ...found,
    ...own,
    ...(own.thinking === undefined ? {} : { reasons: own.thinking !== "none" }),
  };
  const asked = positiveInteger(env["CLAUDE_CODE_MAX_OUTPUT_TOKENS"]);
  const most = found && own.maxTokens === undefined ? traits.maxTokens : Infinity;
  const limits = {
    maxTokens: asked === undefined ? Math.min(traits.maxTokens, traits.contextWindow) : Math.min(asked, most),
    contextWindow: positiveInteger(env["CLAUDE_CODE_MAX_CONTEXT_TOKENS"]) ?? traits.contextWindow,
  };
  const hasEffort = traits.efforts.length > 0;
  const price = own.price ?? claude?.price ?? (found && "price" in found ? (found.price as ModelPrice) : undefined);
  return {
    known: {
      profile: { id: name, ...limits, thinking: traits.thinking, effort: hasEffort },
      effort: hasEffort
        ? (claude?.known.effort ?? (id.startsWith("gemini") ? GEMINI_EFFORT : DEFAULT_EFFORT))
        : undefined,
      alwaysThinks: claude?.known.alwaysThinks ?? false,
      longContext: claude?.known.longContext ?? false,
    },
    traits: { ...traits, ...limits },
    ...(price ? { price } : {}),
    isGuess: own.contextWindow === undefined && found === undefined,
    isKnown: found !== undefined,
  };
}

/** A Claude model under the name that a cloud or a router gives it. */
function claudeModel(id: string, longContext: boolean, env: Env) {
  // Routers write versions with dots. The ARN of an inference profile ends with the id.
  const spelled = id.replace(/^arn:.*\//i, "").replace(/(\d)\.(\d)/g, "$1-$2");
  const family = familyOf(spelled);
  if (family === undefined) return undefined;
  const known = lookUpClaude(longContext ? `${family}[1m]` : family, env);
  const { maxTokens, contextWindow, thinking } = known.profile;
  const efforts = known.effort === undefined ? [] : CLAUDE_EFFORTS;
  const traits = { maxTokens, contextWindow, thinking, efforts, images: true, documents: true, reasons: false };
  return { known, traits, price: priceOfFamily(family) };
}

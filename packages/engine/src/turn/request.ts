// Builds the model request. Pure: the same conversation gives the same bytes, so the provider's cache stays valid.

import {
  blocksOf,
  jsonOf,
  rememberJson,
  type CacheControl,
  type ContentBlock,
  type JsonObject,
  type ModelMessage,
  type TextBlock,
} from "@keelson/protocol";
import type { ModelChoice, ModelRequest, Ports, ToolDefinition } from "../ports.ts";
import type { Tool } from "../tool/tool.ts";
import { RecentLists } from "./recent-lists.ts";

export interface RequestParts {
  readonly model: ModelChoice;
  readonly system: readonly TextBlock[];
  readonly tools: readonly ToolDefinition[];
}

/** The parts of a run's requests, built again only if the model or the tools changed since the last request. */
export function partsOfRun(ports: Pick<Ports, "model" | "system" | "tools" | "toolBetas">): () => RequestParts {
  let built: { readonly model: ModelChoice; readonly tools: readonly Tool[]; readonly parts: RequestParts } | undefined;
  return () => {
    const { model, system } = ports;
    const tools = ports.tools();
    if (built?.model !== model || built.tools !== tools) {
      const more = (ports.toolBetas?.() ?? []).filter((beta) => !model.betas.includes(beta));
      const choice = more.length === 0 ? model : { ...model, betas: [...model.betas, ...more] };
      built = { model, tools, parts: requestParts(choice, system, tools) };
    }
    return built.parts;
  };
}

/** The parts that stay the same from turn to turn. */
export function requestParts(model: ModelChoice, system: readonly string[], tools: readonly Tool[]): RequestParts {
  const mark = cacheMark(model);
  const said = system.filter((text) => /\S/.test(text));
  const blocks = said.map((text): TextBlock => ({ type: "text", text, ...(mark ? { cache_control: mark } : {}) }));
  return {
    model,
    system: recent.system.like(blocks, isSameText),
    tools: recent.tools.like(tools.map(definitionOf), Object.is),
  };
}

const isSameText = (one: TextBlock, other: TextBlock) =>
  one.text === other.text && one.cache_control === other.cache_control;

/** Subagents of one kind have equal lists. Given the same ones, their JSON is made once. */
const recent = { system: new RecentLists<TextBlock>(), tools: new RecentLists<ToolDefinition>() };

/** How many characters the parts have. They stay the same, so they are counted once. */
export const lengthOfParts = ({ system, tools }: RequestParts): number => lengthOfList(system) + lengthOfList(tools);

function lengthOfList(list: readonly object[]): number {
  let length = lengths.get(list);
  if (length === undefined) {
    length = list.reduce((sum, part) => sum + jsonOf(part).length, 0);
    lengths.set(list, length);
  }
  return length;
}

const lengths = new WeakMap<readonly object[], number>();

/** By schema: agents have instances of their own of some tools, and share the JSON of their definitions. */
const definitions = { offered: new WeakMap<object, ToolDefinition>(), onDemand: new WeakMap<object, ToolDefinition>() };

function definitionOf({ name, description, input, onDemand }: Tool): ToolDefinition {
  const known = definitions[onDemand ? "onDemand" : "offered"];
  const same = known.get(input.json);
  if (same?.name === name && same.description === description) return same;
  const defer = onDemand ? { defer_loading: true as const } : {};
  // Which dialect a schema is in helps no model.
  const { $schema: _, ...schema } = input.json;
  const definition = { name, description, input_schema: schema, ...defer };
  known.set(input.json, definition);
  return definition;
}

export function buildRequest(
  { model, system, tools }: RequestParts,
  messages: readonly ModelMessage[],
  options: { readonly forbidTools?: boolean } = {},
): ModelRequest {
  const { profile } = model;
  const thinking = thinkingOf(model);
  return {
    model: profile.id,
    max_tokens: profile.maxTokens,
    system,
    messages: withCacheMark(messages, model),
    tools,
    ...(options.forbidTools && tools.length > 0 ? { tool_choice: { type: "none" } } : {}),
    ...(thinking ? { thinking } : {}),
    ...(profile.effort ? { output_config: { effort: model.effort ?? DEFAULT_EFFORT } } : {}),
    ...(model.metadata ? { metadata: model.metadata } : {}),
    betas: model.betas,
    ...(model.agent === undefined ? {} : { agent: model.agent }),
  };
}

function thinkingOf({ profile, thinkingTokens }: ModelChoice): JsonObject | undefined {
  if (profile.thinking === "none") return undefined;
  if (thinkingTokens === 0) return { type: "disabled" };
  if (profile.thinking === "adaptive") return { type: "adaptive" };
  // The budget must leave room for a reply.
  if (profile.maxTokens <= LEAST_BUDGET) return { type: "disabled" };
  const budget = Math.min(thinkingTokens ?? profile.maxTokens - 1, profile.maxTokens - 1);
  return { type: "enabled", budget_tokens: Math.max(budget, LEAST_BUDGET) };
}

const LEAST_BUDGET = 1024;

/** How hard a model thinks if no one says. */
export const DEFAULT_EFFORT = "high";

function cacheMark({ cache }: Pick<ModelChoice, "cache">): CacheControl | undefined {
  if (!cache.enabled) return undefined;
  return cache.ttl === "1h" ? HOUR : MINUTES;
}

const MINUTES: CacheControl = { type: "ephemeral" };
const HOUR: CacheControl = { type: "ephemeral", ttl: "1h" };

/**
 * Marks the last block of the last user message, so the next request finds everything before it in the cache. Returns a
 * list of its own: the conversation grows while the reply arrives, and the request must not.
 */
export function withCacheMark(
  messages: readonly ModelMessage[],
  model: Pick<ModelChoice, "cache">,
): readonly ModelMessage[] {
  const mark = cacheMark(model);
  const at = messages.findLastIndex((message) => message.role === "user");
  if (!mark || at < 0) return [...messages];
  const blocks = blocksOf(messages[at]!.content);
  const last = blocks.at(-1);
  if (!last) return [...messages];
  const marked = { ...last, cache_control: mark } as ContentBlock;
  rememberJson(marked, `${jsonOf(last).slice(0, -1)},"cache_control":${JSON.stringify(mark)}}`);
  return messages.with(at, { role: "user", content: [...blocks.slice(0, -1), marked] });
}

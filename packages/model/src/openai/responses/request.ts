// Builds the body of a Responses request. Nothing is stored at the server: the transcript is the state. Pure.

import type { JsonObject } from "@keelson/protocol";
import type { ModelRequest } from "@keelson/engine";
import type { ModelTraits } from "../../dialect.ts";
import type { FittedNames } from "../../fit/names.ts";
import { partsOf, type Loss } from "../chat/content.ts";
import { effortFor } from "../shared/effort.ts";
import { isReasoningModelName, type Flavour } from "../shared/flavour.ts";
import type { Optional, ServerHabits } from "../shared/habits.ts";
import type { Sent } from "../shared/lessons.ts";
import { formatSchema, withDetails } from "../shared/request-parts.ts";
import { functionTools, type FunctionTool } from "../shared/tools/function-tools.ts";
import { openaiToolChoice } from "../shared/tools/tool-choice.ts";
import { toInputItems, type ReasoningMemory } from "./input.ts";

export interface ResponsesContext {
  readonly flavour: Flavour;
  readonly traits: ModelTraits;
  readonly habits: ServerHabits;
  readonly names: FittedNames;
  readonly sessionId?: string;
  /** Overrides what the request asks for. */
  readonly maxTokens?: number;
  readonly memory: ReasoningMemory;
}

export interface BuiltResponsesRequest {
  readonly body: { readonly input: readonly JsonObject[]; readonly [field: string]: unknown };
  readonly sent: Sent;
  readonly losses: readonly Loss[];
}

const LEAST_OUTPUT = 16;

export function responsesRequest(
  request: ModelRequest,
  stream: boolean,
  context: ResponsesContext,
): BuiltResponsesRequest {
  const { traits, habits, sessionId } = context;
  const may = (part: Optional) => !habits.refused.has(part);
  const { shared, losses } = sharedFields(request, context);
  const limits = [context.maxTokens ?? request.max_tokens, habits.maxTokens ?? Infinity, traits.maxTokens];
  const maxTokens = Math.max(LEAST_OUTPUT, Math.min(...limits.filter((limit) => limit > 0)));
  const isReasoning = traits.reasons || isReasoningModelName(request.model);
  const body = {
    ...shared,
    store: false,
    ...(isReasoning && may("include") ? { include: ["reasoning.encrypted_content"] } : {}),
    ...(may("max_output_tokens") ? { max_output_tokens: maxTokens } : {}),
    ...(sessionId !== undefined && may("prompt_cache_key") ? { prompt_cache_key: sessionId } : {}),
    stream,
  };
  const parts = (Object.keys(body) as Optional[]).filter((key) => OPTIONAL.has(key));
  const more = [
    ...((body.reasoning as JsonObject | undefined)?.["summary"] ? ["summary" as const] : []),
    ...("tools" in body && may("strict") ? ["strict" as const] : []),
    ...(body.input.some(hasImage) ? ["images" as const] : []),
  ];
  return {
    body,
    // What is inside another part is tried first.
    sent: {
      parts: [...more, ...parts],
      maxTokens: "max_output_tokens" in body ? maxTokens : undefined,
      toolCount: "tools" in body ? (body.tools as readonly unknown[]).length : 0,
    },
    losses,
  };
}

function hasImage({ content, output }: JsonObject): boolean {
  return [content, output].some(
    (parts) => Array.isArray(parts) && parts.some((part: JsonObject) => part["type"] === "input_image"),
  );
}

const OPTIONAL = new Set<string>([
  "max_output_tokens",
  "reasoning",
  "include",
  "parallel_tool_calls",
  "tool_choice",
  "prompt_cache_key",
] satisfies Optional[]);

/** What counts as input: also the body of a request that only counts tokens. */
export function sharedFields(request: ModelRequest, context: ResponsesContext) {
  const { traits, habits, names, memory } = context;
  const losses = new Set<Loss>();
  const options = {
    images: traits.images && !habits.refused.has("images"),
    documents: traits.documents,
    lose: (loss: Loss) => void losses.add(loss),
  };
  const offered = functionTools(request.tools, names, context.flavour, habits);
  if (offered.isCut) losses.add("tools");
  const instructions = partsOf(withDetails(request, offered.details).system, { ...options, cacheMarks: false })
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("\n\n");
  const schema = formatSchema(request.output_config);
  const reasoning = reasoningOf(request, context);
  const input = toInputItems(request.messages, { ...options, model: request.model, names, memory });
  const shared = {
    model: request.model,
    ...(instructions === "" ? {} : { instructions }),
    input,
    ...toolFields(request, offered.tools, names, (part) => !habits.refused.has(part)),
    ...(reasoning ? { reasoning } : {}),
    ...(schema ? { text: { format: { type: "json_schema", name: "reply", schema, strict: false } } } : {}),
  };
  return { shared, losses: [...losses] };
}

function reasoningOf(request: ModelRequest, { traits, habits }: ResponsesContext): JsonObject | undefined {
  if (!(traits.reasons || isReasoningModelName(request.model)) || habits.refused.has("reasoning")) return undefined;
  const effort = effortFor(request, traits);
  const isOff = request.thinking?.["type"] === "disabled";
  const fields = {
    ...(effort === undefined ? {} : { effort }),
    ...(isOff || habits.refused.has("summary") ? {} : { summary: "auto" }),
  };
  return Object.keys(fields).length > 0 ? fields : undefined;
}

function toolFields(
  { tool_choice }: ModelRequest,
  tools: readonly FunctionTool[],
  names: FittedNames,
  may: (part: Optional) => boolean,
): JsonObject {
  if (tools.length === 0) return {};
  const choice = openaiToolChoice(tool_choice, (name) => ({ type: "function", name: names.out(name) }));
  return {
    // It defaults to true, and few schemas are ready for that.
    tools: tools.map((tool) => ({ type: "function", ...tool, ...(may("strict") ? { strict: false } : {}) })),
    ...(choice === undefined || !may("tool_choice") ? {} : { tool_choice: choice }),
    ...(may("parallel_tool_calls") && tool_choice?.["disable_parallel_tool_use"] === true
      ? { parallel_tool_calls: false }
      : {}),
  };
}

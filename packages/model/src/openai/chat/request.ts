// Builds the body of a Chat Completions request. Pure.

import type { JsonObject, ModelMessage } from "@keelson/protocol";
import type { ModelRequest } from "@keelson/engine";
import type { Compat, ModelTraits } from "../../dialect.ts";
import { CHAT_IDS, MISTRAL_IDS } from "../../fit/ids.ts";
import type { FittedNames } from "../../fit/names.ts";
import { effortFor } from "../shared/effort.ts";
import { isMistralName, isReasoningModelName, type Flavour } from "../shared/flavour.ts";
import type { Optional, ReasoningSpan, ServerHabits } from "../shared/habits.ts";
import type { Sent } from "../shared/lessons.ts";
import { formatSchema, withDetails } from "../shared/request-parts.ts";
import { functionTools, type FunctionTool } from "../shared/tools/function-tools.ts";
import { openaiToolChoice } from "../shared/tools/tool-choice.ts";
import type { Loss } from "./content.ts";
import { toChatMessages, type ChatMessage } from "./messages.ts";

export interface ChatContext {
  readonly flavour: Flavour;
  /** Our name for the server. */
  readonly provider: string;
  readonly traits: ModelTraits;
  readonly compat: Compat;
  readonly habits: ServerHabits;
  readonly names: FittedNames;
  readonly sessionId?: string;
  /** Overrides what the request asks for. */
  readonly maxTokens?: number;
}

export interface BuiltChatRequest {
  readonly body: {
    readonly model: string;
    readonly messages: readonly ChatMessage[];
    readonly tools?: unknown;
    readonly [field: string]: unknown;
  };
  readonly sent: Sent;
  readonly losses: readonly Loss[];
}

export function chatRequest(request: ModelRequest, stream: boolean, context: ChatContext): BuiltChatRequest {
  const { flavour, traits, compat, habits, names, sessionId } = context;
  const may = (part: Optional) => !habits.refused.has(part);
  const losses = new Set<Loss>();
  const offered = functionTools(request.tools, names, flavour, habits);
  if (offered.isCut) losses.add("tools");
  const messages = messagesOf(withDetails(request, offered.details), context, (loss) => losses.add(loss));
  const { maxTokensField, maxTokens } = limitOf(request, context);
  const isOff = request.thinking?.["type"] === "disabled" && hasSwitch(request.model, context);
  const effort = may("reasoning_effort") && !isOff ? effortFor(request, traits) : undefined;
  const format = may("response_format") ? responseFormat(request) : undefined;
  const body = {
    model: request.model,
    messages,
    ...toolFields(request, offered.tools, names, may),
    stream,
    ...(stream && (compat.streamUsage ?? flavour !== "mistral") && may("stream_options")
      ? { stream_options: { include_usage: true } }
      : {}),
    ...(maxTokensField ? { [maxTokensField]: maxTokens } : {}),
    ...(effort === undefined ? {} : { reasoning_effort: effort }),
    ...(isOff ? { thinking: { type: "disabled" } } : {}),
    ...(format ? { response_format: format } : {}),
    ...(sessionId !== undefined && knowsCacheKey(context) && may("prompt_cache_key")
      ? { prompt_cache_key: sessionId }
      : {}),
  };
  const parts = (Object.keys(body) as Optional[]).filter((key) => OPTIONAL.has(key));
  return {
    body,
    sent: {
      parts: [...parts, ...messageParts(messages)],
      maxTokens: maxTokensField ? maxTokens : undefined,
      toolCount: offered.tools.length,
      ...(reasoningFieldOf(context) ? { reasoning: spanOf(request.model, context) } : {}),
    },
    losses: [...losses],
  };
}

const OPTIONAL = new Set<string>([
  "stream_options",
  "max_tokens",
  "max_completion_tokens",
  "reasoning_effort",
  "thinking",
  "parallel_tool_calls",
  "tool_choice",
  "prompt_cache_key",
  "response_format",
] satisfies Optional[]);

/** Parts of messages that a server may not know. */
function messageParts(messages: readonly ChatMessage[]): Optional[] {
  const hasImage = ({ content }: ChatMessage) =>
    Array.isArray(content) && content.some(({ type }) => type === "image_url");
  return [
    ...(messages[0]?.role === "developer" ? ["developer" as const] : []),
    ...(["reasoning_content", "reasoning"] as const).filter((field) =>
      messages.some((message) => message[field] !== undefined),
    ),
    ...(messages.some((message) => message.reasoning_details) ? ["reasoning_details" as const] : []),
    ...(messages.some(hasImage) ? ["images" as const] : []),
  ];
}

function messagesOf(request: ModelRequest, context: ChatContext, lose: (loss: Loss) => void): ChatMessage[] {
  const { flavour, traits, compat, habits, names } = context;
  const { model } = request;
  const may = (part: Optional) => !habits.refused.has(part);
  const isVendor = flavour === "openai" || flavour === "azure";
  const developer = compat.developerRole ?? (isVendor && (traits.reasons || isReasoningModelName(model)));
  const field = reasoningFieldOf(context);
  return toChatMessages(request.system, request.messages as readonly ModelMessage[], {
    model,
    names,
    ids: flavour === "mistral" ? MISTRAL_IDS : CHAT_IDS,
    systemRole: developer && may("developer") ? "developer" : "system",
    ...(field === undefined ? {} : { reasoningField: field }),
    reasoningSpan: spanOf(model, context),
    alwaysReasoning: traits.reasons || habits.reasoning !== undefined,
    details: flavour === "openrouter" && may("reasoning_details"),
    images: traits.images && may("images"),
    noLinks: flavour === "ollama" || flavour === "lmstudio",
    bridgesResults: habits.bridgesResults ?? (flavour === "mistral" || (!isVendor && isMistralName(model))),
    noSystem: habits.noSystem === true,
    documents: traits.documents,
    cacheMarks: flavour === "openrouter" && /^anthropic\/|claude/.test(model) && compat.stringToolContent !== true,
    lose,
  });
}

/** The field in which thinking goes back. */
function reasoningFieldOf({ flavour, compat, habits }: ChatContext) {
  const wants = flavour === "deepseek" || habits.reasoning !== undefined;
  const field = compat.reasoningField ?? (wants ? "reasoning_content" : undefined);
  return field === undefined || habits.refused.has(field) ? undefined : field;
}

/** DeepSeek wants it back always since its fourth version; before, within the tool loop. */
function spanOf(model: string, { habits }: ChatContext): ReasoningSpan {
  return habits.reasoning ?? (isNewDeepSeek(model) ? "session" : "loop");
}

/** Its thinking is turned off by a field of its own, not by an effort. */
const hasSwitch = (model: string, { flavour, habits }: ChatContext) =>
  flavour === "deepseek" && isNewDeepSeek(model) && !habits.refused.has("thinking");

const isNewDeepSeek = (model: string) => /deepseek-(?:v[4-9]|flash|pro)(?![a-z])/.test(model);

function limitOf(request: ModelRequest, context: ChatContext) {
  const { flavour, compat, habits, traits } = context;
  const knowsNew = flavour === "openai" || flavour === "azure" || isReasoningModelName(request.model);
  const preferred = compat.maxTokensField ?? (knowsNew ? "max_completion_tokens" : "max_tokens");
  const other = preferred === "max_tokens" ? "max_completion_tokens" : "max_tokens";
  const maxTokensField = [preferred, other].find((field) => !habits.refused.has(field as Optional));
  const limits = [context.maxTokens ?? request.max_tokens, habits.maxTokens ?? Infinity, traits.maxTokens];
  return { maxTokensField, maxTokens: Math.min(...limits.filter((limit) => limit > 0)) };
}

/** The vendor groups requests by it for its cache. Other servers do not, and some refuse what they do not know. */
const knowsCacheKey = ({ flavour, provider }: ChatContext) =>
  flavour === "openai" || flavour === "azure" || (provider === "openai" && flavour === "other");

function toolFields(
  { tool_choice }: ModelRequest,
  tools: readonly FunctionTool[],
  names: FittedNames,
  may: (part: Optional) => boolean,
): JsonObject {
  if (tools.length === 0) return {};
  const choice = openaiToolChoice(tool_choice, (name) => ({ type: "function", function: { name: names.out(name) } }));
  return {
    tools: tools.map((tool) => ({ type: "function", function: { ...tool } })),
    ...(choice === undefined || !may("tool_choice") ? {} : { tool_choice: choice }),
    ...(may("parallel_tool_calls") && tool_choice?.["disable_parallel_tool_use"] === true
      ? { parallel_tool_calls: false }
      : {}),
  };
}

function responseFormat({ output_config }: ModelRequest): JsonObject | undefined {
  const schema = formatSchema(output_config);
  return schema && { type: "json_schema", json_schema: { name: "reply", schema } };
}

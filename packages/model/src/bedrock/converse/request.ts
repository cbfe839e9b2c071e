// Turns a request into the body of a Converse request.

import { isBlank, isText, isToolUse, type CacheControl, type JsonObject, type ModelMessage } from "@keelson/protocol";
import type { ModelRequest, ToolDefinition } from "@keelson/engine";
import type { ModelTraits } from "../../dialect.ts";
import { CONVERSE_NAMES, fitNames, type FittedNames } from "../../fit/names.ts";
import { plainSchema } from "../../fit/plain-schema.ts";
import { hasReference } from "../../fit/references.ts";
import type { ConverseHabits } from "./habits.ts";
import { ConverseMedia, countDocuments } from "./media.ts";
import { converseMessages } from "./messages.ts";
import type { CachePoint, ConverseBody, TextMember, ConverseTools, ToolSpec } from "./wire.ts";

export interface ConverseRequest {
  readonly body: ConverseBody;
  readonly names: FittedNames;
  /** What the model is not shown. */
  readonly losses: readonly string[];
}

const NO_CALLS = "Do not call tools in this reply; answer in text.";

export function converseRequest(request: ModelRequest, traits: ModelTraits, habits: ConverseHabits): ConverseRequest {
  const { model, messages, tool_choice: choice } = request;
  const tools = request.tools.length > 0 ? request.tools : calledTools(messages);
  const names = fitNames(tools, CONVERSE_NAMES);
  const media = new ConverseMedia(traits, countDocuments(messages));
  const cachePoint = cachePointsOf(model, habits);
  const isForbidden = choice?.["type"] === "none" || request.tools.length === 0;
  const system = [
    ...request.system.flatMap((block): readonly (TextMember | CachePoint)[] => {
      if (isBlank(block)) return [];
      const point = block.cache_control && cachePoint(block.cache_control);
      return [{ text: block.text }, ...(point ? [point] : [])];
    }),
    ...(tools.length > 0 && isForbidden ? [{ text: NO_CALLS }] : []),
  ];
  const sent = converseMessages(messages, { model, names, media, cachePoint });
  const toolConfig = toolConfigOf(tools, isForbidden ? undefined : choice, names, model, habits);
  const additional = additionalFields(request);
  const outputConfig = habits.has("no output format") ? undefined : outputConfigOf(request);
  const body: ConverseBody = {
    messages: habits.has("no system") ? withSystemText(system, sent) : sent,
    ...(system.length > 0 && !habits.has("no system") ? { system } : {}),
    inferenceConfig: { maxTokens: Math.min(request.max_tokens, traits.maxTokens, habits.maxTokens) },
    ...(toolConfig ? { toolConfig } : {}),
    ...(additional ? { additionalModelRequestFields: additional } : {}),
    ...(outputConfig ? { outputConfig } : {}),
  };
  return { body, names, losses: [...media.losses] };
}

/** The service wants to know the tools of every call in the conversation, also when none may be called. */
function calledTools(messages: readonly ModelMessage[]): readonly ToolDefinition[] {
  const names = new Set<string>();
  for (const { content } of messages)
    if (typeof content !== "string") for (const block of content) if (isToolUse(block)) names.add(block.name);
  return Array.from(names, (name) => ({ name, description: "", input_schema: { type: "object", properties: {} } }));
}

function toolConfigOf(
  tools: readonly ToolDefinition[],
  choice: JsonObject | undefined,
  names: FittedNames,
  model: string,
  habits: ConverseHabits,
): ConverseTools | undefined {
  if (tools.length === 0) return undefined;
  const specs = tools.map(({ name, description, input_schema }): ToolSpec => ({
    toolSpec: {
      name: names.out(name),
      ...(/\S/.test(description) ? { description } : {}),
      inputSchema: { json: schemaOf(input_schema, model) },
    },
  }));
  const toolChoice = habits.has("no tool choice") ? undefined : toolChoiceOf(choice, names);
  return { tools: specs, ...(toolChoice ? { toolChoice } : {}) };
}

/** Nova accepts no other keys at the root, so there is no place for what references name. */
function schemaOf(schema: JsonObject, model: string): JsonObject {
  if (!isNova(model)) return { ...schema, type: "object" };
  const { properties = {}, required } = hasReference(schema) ? plainSchema(schema) : schema;
  return { type: "object", properties, ...(required ? { required } : {}) };
}

function toolChoiceOf(choice: JsonObject | undefined, names: FittedNames): JsonObject | undefined {
  switch (choice?.["type"]) {
    case "auto":
      return { auto: {} };
    case "any":
      return { any: {} };
    case "tool":
      return { tool: { name: names.out(String(choice["name"])) } };
    default:
      return undefined;
  }
}

/** Claude's own fields; no other model's thinking can be set. */
function additionalFields({ model, thinking }: ModelRequest): JsonObject | undefined {
  return thinking && thinking["type"] !== "disabled" && /claude/i.test(model) ? { thinking } : undefined;
}

function outputConfigOf({ output_config: config }: ModelRequest): JsonObject | undefined {
  const format = config?.["format"] as JsonObject | undefined;
  if (format?.["type"] !== "json_schema") return undefined;
  const jsonSchema = { name: "reply", schema: JSON.stringify(format["schema"]) };
  return { textFormat: { type: "json_schema", structure: { jsonSchema } } };
}

const isNova = (model: string) => model.includes("amazon.nova");

/** A model without a cache refuses the marks. */
function cachePointsOf(model: string, habits: ConverseHabits): (mark: CacheControl) => CachePoint | undefined {
  const hasCache = (isNova(model) || /claude/i.test(model)) && !habits.has("no cache");
  return ({ ttl }) => {
    if (!hasCache) return undefined;
    return { cachePoint: { type: "default", ...(ttl === "1h" && !isNova(model) ? { ttl } : {}) } };
  };
}

/** For models that know no system prompt: the first message begins with it. */
function withSystemText(
  system: readonly (TextMember | CachePoint)[],
  [first, ...rest]: ConverseBody["messages"],
): ConverseBody["messages"] {
  const texts = system.filter((block) => "text" in block);
  return first ? [{ ...first, content: [...texts, ...first.content] }, ...rest] : [];
}

/** The text of a request, for an estimate of its size. */
export function textLength({ messages, system, tools }: ModelRequest): number {
  const lengths = messages.map(({ content }) =>
    typeof content === "string"
      ? content.length
      : JSON.stringify(content.filter((block) => block.type !== "image")).length,
  );
  const fixed = JSON.stringify([system.filter(isText).map(({ text }) => text), tools]).length;
  return lengths.reduce((sum, length) => sum + length, fixed);
}

// The body of a generateContent request.

import { isObject, type JsonObject } from "@keelson/protocol";
import type { ModelRequest, ToolDefinition } from "@keelson/engine";
import type { ModelTraits } from "../../dialect.ts";
import { fitNames, GEMINI_NAMES, type FittedNames } from "../../fit/names.ts";
import { contentsOf } from "./contents.ts";
import { generationOf } from "../model.ts";
import type { GeminiHabits } from "../habits.ts";
import { openApiSchema } from "./schema.ts";
import { thinkingConfig } from "./thinking.ts";
import type { FunctionDeclaration, GenerateContentRequest } from "../wire.ts";

export interface BuiltRequest {
  readonly body: GenerateContentRequest;
  readonly names: FittedNames;
  /** What the model will not see. */
  readonly losses: readonly string[];
}

export function buildGemini(
  request: ModelRequest,
  api: string,
  traits: ModelTraits,
  habits: GeminiHabits,
): BuiltRequest {
  const tools = request.tools.filter(({ input_schema: schema }) => isObject(schema));
  const names = fitNames(tools, GEMINI_NAMES);
  const losses = new Set<string>();
  const isNew = generationOf(request.model) >= 3;
  const system = request.system.map(({ text }) => text).filter((text) => /\S/.test(text));
  const asMessage = system.length > 0 && habits.has("no system");
  const contents = contentsOf(
    asMessage ? [{ role: "user", content: system.join("\n\n") }, ...request.messages] : request.messages,
    {
      api,
      model: request.model,
      traits,
      names,
      signed: isNew || habits.has("signatures required"),
      trusts: (callId) => habits.trusts(callId),
      mediaInResults: isNew && !habits.has("no media in results"),
      ids: !habits.has("no ids"),
    },
    losses,
  );
  const body: GenerateContentRequest = {
    ...(system.length > 0 && !asMessage ? { systemInstruction: { parts: system.map((text) => ({ text })) } } : {}),
    contents,
    ...(tools.length > 0 ? toolFields(tools, names, request.tool_choice, habits) : {}),
    generationConfig: generationConfig(request, traits, habits),
  };
  return { body, names, losses: [...losses] };
}

function toolFields(
  tools: readonly ToolDefinition[],
  names: FittedNames,
  choice: JsonObject | undefined,
  habits: GeminiHabits,
): Pick<GenerateContentRequest, "tools" | "toolConfig"> {
  const declared = tools.map((tool) => declaration(tool, names, habits));
  const config = callingConfig(choice, names);
  return {
    tools: [{ functionDeclarations: declared }],
    ...(config ? { toolConfig: { functionCallingConfig: config } } : {}),
  };
}

function declaration(
  { name, description, input_schema: schema }: ToolDefinition,
  names: FittedNames,
  habits: GeminiHabits,
): FunctionDeclaration {
  // The service wants one; tools of MCP servers may have none.
  const named = { name: names.out(name), description: /\S/.test(description) ? description : name };
  if (habits.has("only parameters")) {
    const parameters = openApiSchema(schema);
    return parameters ? { ...named, parameters } : named;
  }
  const { $schema: _, ...parametersJsonSchema } = schema;
  return { ...named, parametersJsonSchema: { type: "object", ...parametersJsonSchema } };
}

/** How the model may use tools; undefined if it decides itself. */
function callingConfig(choice: JsonObject | undefined, names: FittedNames): JsonObject | undefined {
  switch (choice?.["type"]) {
    case "any":
      return { mode: "ANY" };
    case "tool":
      return { mode: "ANY", allowedFunctionNames: [names.out(String(choice["name"]))] };
    case "none":
      return { mode: "NONE" };
    default:
      return undefined;
  }
}

function generationConfig(request: ModelRequest, traits: ModelTraits, habits: GeminiHabits): JsonObject {
  const thinking = habits.has("no thinking") ? undefined : thinkingConfig(request, traits);
  const { thinkingLevel: _, ...unlevelled } = thinking ?? {};
  const config = habits.has("no level") ? unlevelled : thinking;
  return {
    maxOutputTokens: Math.min(request.max_tokens, traits.maxTokens || Infinity, habits.maxTokens),
    ...(config && Object.keys(config).length > 0 ? { thinkingConfig: config } : {}),
    ...replyFormat(request),
  };
}

/** Older models refuse a format together with tools; the prompt says what is wanted. */
function replyFormat({ output_config: output, tools }: ModelRequest): JsonObject {
  const format = output?.["format"];
  if (!isObject(format) || format["type"] !== "json_schema" || !isObject(format["schema"]) || tools.length > 0)
    return {};
  return { responseMimeType: "application/json", responseJsonSchema: format["schema"] as JsonObject };
}

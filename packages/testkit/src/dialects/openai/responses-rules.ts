// What OpenAI refuses in a Responses request, in its words. Reasoning items are checked against those that were given.

import { isObject, tryParse } from "@keelson/protocol";
import { draftProblem } from "../draft-schema.ts";
import { EFFORTS, IMAGE, isReasoningModel, MOST_TOOLS } from "./chat-rules.ts";
import { schemaProblem } from "./schema.ts";

/** A reasoning item as it was given, and the item that came directly after it. */
export interface GivenReasoning {
  readonly item: Record<string, unknown>;
  readonly next: { readonly type: string; readonly call_id?: string } | undefined;
}

const FIELDS = new Set(
  "model instructions input tools tool_choice parallel_tool_calls store include reasoning max_output_tokens text prompt_cache_key stream temperature top_p truncation".split(
    " ",
  ),
);

const ITEM_FIELDS: Readonly<Record<string, readonly string[]>> = {
  message: ["type", "role", "content", "id", "status"],
  reasoning: ["type", "id", "summary", "encrypted_content", "content", "status"],
  function_call: ["type", "id", "call_id", "name", "arguments", "status"],
  function_call_output: ["type", "id", "call_id", "output", "status"],
};

const NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const MAX_ID = 64;
const LEAST_OUTPUT = 16;

export function responsesProblem(body: any, given: ReadonlyMap<string, GivenReasoning>): string | undefined {
  if (!isObject(body)) return "We could not parse the JSON body of your request";
  const unknown = Object.keys(body).find((field) => !FIELDS.has(field));
  if (unknown) return `Unknown parameter: '${unknown}'.`;
  return parameterProblem(body) ?? toolsProblem(body) ?? inputProblem(body["input"], given);
}

function parameterProblem(body: Record<string, any>): string | undefined {
  const { model, store, include, reasoning, max_output_tokens, tools, tool_choice, parallel_tool_calls } = body;
  if (typeof model !== "string") return "Missing required parameter: 'model'.";
  if (store !== false) return "This organization does not allow responses to be stored";
  if (max_output_tokens !== undefined && max_output_tokens < LEAST_OUTPUT)
    return `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= ${LEAST_OUTPUT}, but got ${max_output_tokens} instead.`;
  if (!isReasoningModel(model)) {
    if (include !== undefined) return "Encrypted content is not supported with this model.";
    if (reasoning !== undefined) return "Unsupported parameter: 'reasoning.effort' is not supported with this model.";
  } else if (body["temperature"] !== undefined)
    return "Unsupported parameter: 'temperature' is not supported with this model.";
  if (reasoning?.effort !== undefined && !EFFORTS.includes(reasoning.effort))
    return `Invalid value: '${reasoning.effort}' for 'reasoning.effort'.`;
  if (include?.some((what: unknown) => what !== "reasoning.encrypted_content")) return "Invalid value for 'include'.";
  const key = body["prompt_cache_key"];
  if (key !== undefined && !(typeof key === "string" && key.length <= 64)) return "Invalid 'prompt_cache_key'";
  const format = formatProblem(body["text"]);
  if (format) return format;
  const extra = Object.keys(reasoning ?? {}).find((key) => key !== "effort" && key !== "summary");
  if (extra) return `Unknown parameter: 'reasoning.${extra}'.`;
  if (tools === undefined && (tool_choice !== undefined || parallel_tool_calls !== undefined))
    return "Tool choice is only allowed when 'tools' are specified.";
  return undefined;
}

function formatProblem(text: any): string | undefined {
  if (text === undefined) return undefined;
  const { format, ...rest } = text;
  const { type, name, schema, strict, ...more } = format ?? {};
  const extra = Object.keys({ ...rest, ...more })[0];
  if (extra) return `Unknown parameter: 'text.${extra}'.`;
  if (type !== "json_schema" || !/^[a-zA-Z0-9_-]{1,64}$/.test(name ?? "")) return "Invalid 'text.format.name'";
  if (strict === true && !("additionalProperties" in schema)) return "Invalid schema for response_format 'reply'";
  return draftProblem(schema);
}

function toolsProblem({ tools, tool_choice }: Record<string, any>): string | undefined {
  if (tools === undefined) return undefined;
  if (tools.length === 0 || tools.length > MOST_TOOLS)
    return `Invalid 'tools': array too long. Expected an array with maximum length ${MOST_TOOLS}, but got an array with length ${tools.length} instead.`;
  const names = new Set<string>();
  for (const [at, tool] of tools.entries()) {
    const { type, name, description: _, parameters, strict, ...rest } = tool;
    if (Object.keys(rest).length > 0) return `Unknown parameter: 'tools[${at}].${Object.keys(rest)[0]}'.`;
    if (type !== "function") return `Invalid value: '${type}'.`;
    if (!NAME.test(name ?? "")) return `Invalid 'tools[${at}].name': string does not match pattern.`;
    // It defaults to true here, and then every schema must list all its properties as required.
    if (strict !== false) return `Invalid schema for function '${name}': 'required' is required to be supplied`;
    if (names.has(name)) return `Invalid 'tools': tool names must be unique, got '${name}' twice`;
    names.add(name);
    const problem = schemaProblem(name, parameters);
    if (problem) return problem;
  }
  if (tool_choice === undefined || ["auto", "none", "required"].includes(tool_choice)) return undefined;
  const { type, name, ...rest } = tool_choice;
  if (type !== "function" || Object.keys(rest).length > 0) return "Invalid value for 'tool_choice'";
  return names.has(name) ? undefined : `Tool choice '${name}' not found in 'tools' parameter.`;
}

function inputProblem(input: unknown, given: ReadonlyMap<string, GivenReasoning>): string | undefined {
  if (!Array.isArray(input) || input.length === 0) return "Missing required parameter: 'input'.";
  const open = new Set<string>();
  for (const [at, item] of input.entries()) {
    const problem = itemProblem(item, `input[${at}]`) ?? reasoningProblem(item, input[at + 1], given);
    if (problem) return problem;
    if (item.type === "function_call") {
      if (item.id !== undefined && input[at - 1]?.type !== "reasoning")
        return `Item '${item.id}' of type 'function_call' was provided without its required 'reasoning' item.`;
      if (open.has(item.call_id)) return `Duplicate call_id '${item.call_id}'`;
      open.add(item.call_id);
    } else if (item.type === "function_call_output") {
      if (!open.delete(item.call_id))
        return `No tool call found for function call output with call_id ${item.call_id}.`;
    } else if (item.role !== undefined && open.size > 0)
      return `No tool output found for function call ${[...open][0]}.`;
  }
  return open.size > 0 ? `No tool output found for function call ${[...open][0]}.` : undefined;
}

function itemProblem(item: any, where: string): string | undefined {
  const type = item?.type ?? "message";
  const known = ITEM_FIELDS[type];
  if (!known) return `Invalid value: '${type}'.`;
  const extra = Object.keys(item).find((key) => !known.includes(key));
  if (extra) return `Unknown parameter: '${where}.${extra}'.`;
  if (type === "message") {
    if (item.role !== "user" && item.role !== "assistant") return `Invalid value: '${item.role}'.`;
    return contentProblem(item.content, item.role === "user" ? INPUT_PARTS : ["output_text", "refusal"], where);
  }
  if (type === "reasoning") return undefined;
  const { call_id } = item;
  if (typeof call_id !== "string" || call_id === "") return `Missing required parameter: '${where}.call_id'.`;
  if (call_id.length > MAX_ID)
    return `Invalid '${where}.call_id': string too long. Expected a string with maximum length ${MAX_ID}, but got a string with length ${call_id.length} instead.`;
  if (type === "function_call") {
    if (item.id !== undefined && !String(item.id).startsWith("fc_"))
      return `Invalid '${where}.id': '${item.id}'. Expected an ID that begins with 'fc'.`;
    if (!NAME.test(item.name ?? "")) return `Invalid '${where}.name': string does not match pattern.`;
    return isObject(tryParse(item.arguments)) ? undefined : `Invalid '${where}.arguments'`;
  }
  if (typeof item.output === "string") return item.output === "" ? `Invalid '${where}.output'` : undefined;
  return contentProblem(item.output, INPUT_PARTS, where);
}

const INPUT_PARTS = ["input_text", "input_image", "input_file"];

function contentProblem(content: unknown, types: readonly string[], where: string): string | undefined {
  if (!Array.isArray(content) || content.length === 0) return `Invalid type for '${where}.content'`;
  for (const part of content) {
    if (!types.includes(part?.type))
      return `Invalid value: '${part?.type}'. Supported values are: ${types.join(", ")}.`;
    const { type, text, image_url, detail: _, filename, file_data, ...rest } = part;
    if (Object.keys(rest).length > 0) return `Unknown parameter: '${where}.content.${Object.keys(rest)[0]}'.`;
    if (type.endsWith("_text") && (typeof text !== "string" || text.trim() === "")) return `Invalid text in '${where}'`;
    if (type === "input_image" && !IMAGE.test(image_url))
      return `Invalid '${where}.content.image_url'. Expected a valid URL`;
    if (type === "input_file" && (!filename || !/^data:application\/pdf;base64,./.test(file_data)))
      return `Invalid '${where}.content.file_data'`;
  }
  return undefined;
}

function reasoningProblem(item: any, next: any, given: ReadonlyMap<string, GivenReasoning>): string | undefined {
  if (item.type !== "reasoning") return undefined;
  const { id, encrypted_content } = item;
  if (encrypted_content === undefined || encrypted_content === null)
    return `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false.`;
  const known = given.get(id);
  if (!known || !Bun.deepEquals(known.item, item))
    return "invalid_encrypted_content: The encrypted content could not be verified. Reason: Encrypted content could not be decrypted or parsed.";
  const isNext =
    known.next?.type === "function_call"
      ? next?.type === "function_call" && next.call_id === known.next.call_id
      : next?.role === "assistant";
  return isNext ? undefined : `Item '${id}' of type 'reasoning' was provided without its required following item.`;
}

// What OpenAI refuses in a Chat Completions request, in its words.

import { isObject, tryParse } from "@keelson/protocol";
import { draftProblem } from "../draft-schema.ts";
import { schemaProblem } from "./schema.ts";

/** The habits of a server that is not the vendor's. */
export interface ChatRules {
  /** How thinking is shown, and in which field of a message it is accepted. By default it is not. */
  readonly thinking?: "reasoning_content" | "reasoning" | "reasoning_details" | "tags";
  /** DeepSeek since its fourth version: thinking that led to calls must come back in every request, and can be off. */
  readonly keepsThinking?: boolean;
  /** Optional parameters that this server does not know. */
  readonly refuses?: readonly string[];
  /** Contents of results must be plain strings, as with templates of local models. */
  readonly stringToolContent?: boolean;
  /** Mistral: ids of nine letters and digits, and no user message directly after a result. */
  readonly mistral?: boolean;
  /** The longest description of a tool. */
  readonly descriptionLength?: number;
  /** Schemas become a grammar, which knows only patterns with both anchors, as with llama.cpp. */
  readonly grammar?: boolean;
  /** Pictures must be in the request, as with Ollama. */
  readonly noLinks?: boolean;
  /** The model's template knows no system message. */
  readonly noSystem?: boolean;
}

const FIELDS = new Set(
  "model messages tools tool_choice parallel_tool_calls stream stream_options max_completion_tokens max_tokens reasoning_effort response_format prompt_cache_key temperature top_p stop seed".split(
    " ",
  ),
);

const MESSAGE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  system: ["role", "content", "name"],
  developer: ["role", "content", "name"],
  user: ["role", "content", "name"],
  assistant: ["role", "content", "name", "refusal", "tool_calls"],
  tool: ["role", "content", "tool_call_id"],
};

const MAX_ID = 40;
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

export const isReasoningModel = (model: string) => /^(?:gpt-5|o\d)/.test(model);

export function chatProblem(body: any, rules: ChatRules): string | undefined {
  if (!isObject(body)) return "We could not parse the JSON body of your request";
  for (const field of Object.keys(body)) {
    if (field === "thinking" && rules.keepsThinking) continue;
    if (!FIELDS.has(field)) return `Unrecognized request argument supplied: ${field}`;
    if (rules.refuses?.includes(field)) return `Unsupported parameter: '${field}' is not supported with this model.`;
  }
  return parameterProblem(body, rules) ?? toolsProblem(body, rules) ?? messagesProblem(body["messages"], rules);
}

function parameterProblem(body: Record<string, any>, { keepsThinking }: ChatRules): string | undefined {
  const { model, max_tokens, temperature, stream, stream_options, tools, tool_choice, parallel_tool_calls } = body;
  if (typeof model !== "string" || model === "") return "you must provide a model parameter";
  for (const field of ["max_tokens", "max_completion_tokens"])
    if (body[field] !== undefined && !(Number.isInteger(body[field]) && body[field] > 0))
      return `Invalid '${field}': integer below minimum value. Expected a value >= 1, but got ${body[field]} instead.`;
  if (max_tokens !== undefined && body["max_completion_tokens"] !== undefined)
    return "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.";
  const option = Object.keys(stream_options ?? {}).find((key) => key !== "include_usage");
  if (option) return `Unknown parameter: 'stream_options.${option}'.`;
  const effort = body["reasoning_effort"];
  if (effort !== undefined && !EFFORTS.includes(effort)) return `Invalid value: '${effort}' for 'reasoning_effort'.`;
  const key = body["prompt_cache_key"];
  if (key !== undefined && !(typeof key === "string" && key.length <= 64)) return "Invalid 'prompt_cache_key'";
  const format = formatProblem(body["response_format"]);
  if (format) return format;
  if (isReasoningModel(model)) {
    if (max_tokens !== undefined)
      return "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    if (temperature !== undefined && temperature !== 1)
      return "Unsupported value: 'temperature' does not support this value with this model. Only the default (1) value is supported.";
  } else if (effort !== undefined && !keepsThinking) return "Unrecognized request argument supplied: reasoning_effort";
  if (stream_options !== undefined && stream !== true)
    return "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
  if (tools === undefined && tool_choice !== undefined)
    return "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.";
  if (tools === undefined && parallel_tool_calls !== undefined)
    return "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.";
  return undefined;
}

export const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh"];
export const MOST_TOOLS = 128;

function formatProblem(format: any): string | undefined {
  if (format === undefined) return undefined;
  const { type, json_schema: asked, ...rest } = format;
  if (type !== "json_schema" || Object.keys(rest).length > 0) return "Invalid 'response_format'";
  const extra = Object.keys(asked ?? {}).find((key) => !["name", "description", "schema", "strict"].includes(key));
  if (extra) return `Unknown parameter: 'response_format.json_schema.${extra}'.`;
  if (!NAME.test(asked?.name ?? "")) return "Invalid 'response_format.json_schema.name'";
  return draftProblem(asked.schema);
}

function toolsProblem({ tools, tool_choice }: Record<string, any>, rules: ChatRules): string | undefined {
  if (tools === undefined) return undefined;
  if (!Array.isArray(tools) || tools.length === 0) return "[] is too short - 'tools'";
  if (tools.length > MOST_TOOLS)
    return `Invalid 'tools': array too long. Expected an array with maximum length ${MOST_TOOLS}, but got an array with length ${tools.length} instead.`;
  const names = new Set<string>();
  for (const [at, tool] of tools.entries()) {
    const extra = Object.keys(tool).find((key) => key !== "type" && key !== "function");
    if (extra) return `Unknown parameter: 'tools[${at}].${extra}'.`;
    const { name, description, parameters, strict: _, ...rest } = tool.function ?? {};
    if (Object.keys(rest).length > 0) return `Unknown parameter: 'tools[${at}].function.${Object.keys(rest)[0]}'.`;
    if (!NAME.test(name ?? "")) return `Invalid 'tools[${at}].function.name': string does not match pattern.`;
    if (names.has(name)) return `Invalid 'tools': tool names must be unique, got '${name}' twice`;
    names.add(name);
    if (description !== undefined && typeof description !== "string") return "Invalid type for 'description'";
    if (tool.type !== "function") return `Invalid value: '${tool.type}'.`;
    const { descriptionLength = Infinity } = rules;
    if (description?.length > descriptionLength)
      return `Invalid 'tools[${at}].function.description': string too long. Expected a string with maximum length ${descriptionLength}, but got a string with length ${description.length} instead.`;
    const problem = schemaProblem(name, parameters);
    if (problem) return problem;
    if (rules.grammar && /"pattern":"(?!\^[^"]*\$")|"\$ref"|"oneOf"/.test(JSON.stringify(parameters)))
      return "JSON schema conversion failed:\nPattern must start with '^' and end with '$'";
  }
  if (tool_choice === undefined || ["auto", "none", "required"].includes(tool_choice)) return undefined;
  if (!isObject(tool_choice) || tool_choice["type"] !== "function") return "Invalid value for 'tool_choice'";
  const chosen = (tool_choice["function"] as any)?.name;
  return names.has(chosen) ? undefined : `Tool choice '${chosen}' not found in 'tools' parameter.`;
}

function messagesProblem(messages: unknown, rules: ChatRules): string | undefined {
  if (!Array.isArray(messages) || messages.length === 0) return "[] is too short - 'messages'";
  let open: string[] = [];
  const lastPrompt = messages.findLastIndex(({ role }) => role === "user");
  for (const [at, message] of messages.entries()) {
    const where = `messages[${at}]`;
    const problem = messageProblem(message, where, rules, at > lastPrompt || rules.keepsThinking === true);
    if (problem) return problem;
    const before = messages[at - 1]?.role;
    const isSystem = message.role === "system" || message.role === "developer";
    if (isSystem && rules.noSystem) return "System role not supported";
    if (isSystem && at > 0) return "System message must be at the beginning.";
    if (message.role === "user" && before === "user")
      return "After the optional system message, conversation roles must alternate user/assistant/user/assistant/...";
    if (rules.mistral && message.role === "user" && before === "tool")
      return "Unexpected role 'user' after role 'tool'";
    if (message.role === "tool") {
      const place = open.indexOf(message.tool_call_id);
      if (place < 0)
        return `Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'. (${where})`;
      open.splice(place, 1);
      continue;
    }
    if (open.length > 0) return unanswered(open);
    open = (message.tool_calls ?? []).map(({ id }: any) => id);
    if (new Set(open).size < open.length) return `Duplicate value for 'tool_call_id' in ${where}`;
  }
  if (messages.at(-1).role === "assistant" && open.length === 0)
    return "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant";
  return open.length > 0 ? unanswered(open) : undefined;
}

const unanswered = (ids: readonly string[]) =>
  `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(", ")}`;

function messageProblem(message: any, where: string, rules: ChatRules, inLoop: boolean): string | undefined {
  const { role, content, tool_calls } = message;
  const known = MESSAGE_FIELDS[role];
  if (!known) return `Invalid value: '${role}'. Supported values are: 'system', 'assistant', 'user' and 'tool'.`;
  const own = role === "assistant" && rules.thinking && rules.thinking !== "tags" ? [rules.thinking] : [];
  const extra = Object.keys(message).find((key) => !known.includes(key) && !own.includes(key as never));
  if (extra) return `Unknown parameter: '${where}.${extra}'.`;
  if (rules.thinking === "reasoning_content" && message.reasoning_content !== undefined && !inLoop)
    return `The reasoning_content in ${where} must not be sent back after the turn`;
  if (role === "assistant" && (content === null || content === undefined)) {
    if (!Array.isArray(tool_calls)) return `Invalid value for 'content': expected a string, got null. (${where})`;
  } else {
    const problem = contentProblem(content, role, where, rules);
    if (problem) return problem;
  }
  if (tool_calls === undefined) return undefined;
  if (!Array.isArray(tool_calls) || tool_calls.length === 0) return `[] is too short - '${where}.tool_calls'`;
  if (rules.thinking === "reasoning_content" && inLoop && message.reasoning_content === undefined)
    return rules.keepsThinking
      ? "The `reasoning_content` in the thinking mode must be passed back to the API."
      : `Missing reasoning_content field in the assistant message at ${where}`;
  return tool_calls.map((call, at) => callProblem(call, `${where}.tool_calls[${at}]`, rules)).find(Boolean);
}

function callProblem(
  { id, type, function: called, ...rest }: any,
  where: string,
  { mistral }: ChatRules,
): string | undefined {
  if (Object.keys(rest).length > 0) return `Unknown parameter: '${where}.${Object.keys(rest)[0]}'.`;
  if (typeof id !== "string" || id === "" || type !== "function") return `Missing required parameter: '${where}.id'.`;
  if (mistral && !/^[a-zA-Z0-9]{9}$/.test(id))
    return `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`;
  const extra = Object.keys(called ?? {}).find((key) => key !== "name" && key !== "arguments");
  if (extra) return `Unknown parameter: '${where}.function.${extra}'.`;
  if (id.length > MAX_ID)
    return `Invalid '${where}.id': string too long. Expected a string with maximum length ${MAX_ID}, but got a string with length ${id.length} instead.`;
  if (!NAME.test(called?.name ?? "")) return `Invalid '${where}.function.name': string does not match pattern.`;
  if (typeof called.arguments !== "string" || !isObject(tryParse(called.arguments)))
    return `Invalid '${where}.function.arguments': expected a JSON object`;
  return undefined;
}

const PARTS: Readonly<Record<string, readonly string[]>> = {
  system: ["text"],
  developer: ["text"],
  assistant: ["text"],
  tool: ["text"],
  user: ["text", "image_url", "file"],
};

export const IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,.|^https:\/\/./;
const KEYS = ["url", "detail", "filename", "file_data"];

function contentProblem(content: unknown, role: string, where: string, rules: ChatRules): string | undefined {
  if (typeof content === "string") return content === "" ? `Invalid '${where}.content': string too short` : undefined;
  if (!Array.isArray(content) || content.length === 0) return `Invalid type for '${where}.content'`;
  if (role === "tool" && rules.stringToolContent) return `${where}.content must be a string`;
  for (const part of content) {
    if (!PARTS[role]!.includes(part?.type)) return `Invalid value: '${part?.type}' in '${where}.content'`;
    const { type, cache_control: _, [type as string]: value, ...rest } = part;
    if (Object.keys(rest).length > 0) return `Unknown parameter: '${where}.content.${Object.keys(rest)[0]}'.`;
    if (type === "text" && (typeof value !== "string" || value.trim() === "")) return `Invalid text in '${where}'`;
    const inner = Object.keys(type === "text" ? {} : value).find((key) => !KEYS.includes(key));
    if (inner) return `Unknown parameter: '${where}.content.${type}.${inner}'.`;
    if (type === "image_url" && rules.noLinks && !value.url?.startsWith("data:")) return "invalid image input";
    if (type === "image_url" && !IMAGE.test(value?.url)) return `You uploaded an unsupported image. (${where})`;
    if (type === "file" && (!value?.filename || !/^data:application\/pdf;base64,./.test(value?.file_data)))
      return `Invalid '${where}.content.file'`;
  }
  return undefined;
}

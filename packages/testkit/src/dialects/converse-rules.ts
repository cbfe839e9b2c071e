// What Bedrock's Converse API refuses.

import { isObject } from "@keelson/protocol";
import { draftProblem } from "./draft-schema.ts";
import { pairingProblem } from "./server.ts";
import type { SeenPart } from "./script.ts";

export interface ConverseLimits {
  /** The model has a cache. */
  readonly cache?: boolean;
  /** What this model does not support. */
  readonly lacks?: readonly ("system" | "tool choice" | "streaming tools" | "output format")[];
  /** The most output that this model may be asked for. */
  readonly maxTokens?: number;
}

type Fields = Readonly<Record<string, unknown>>;

const BODY = ["messages", "system", "inferenceConfig", "toolConfig", "additionalModelRequestFields", "outputConfig"];
const ID = /^[a-zA-Z0-9_.:-]{1,64}$/;
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const DOCUMENT_NAME = /^[a-zA-Z0-9([](?:[a-zA-Z0-9]|\s(?!\s)|[-()[\]])*$/;
const PICTURES = ["png", "jpeg", "gif", "webp"];
const DOCUMENTS = ["pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"];

const MOST_DOCUMENTS = 5;
const MOST_PICTURES = 20;

/** The first thing that is wrong; undefined if nothing is. */
export function converseProblem(
  body: any,
  parts: readonly SeenPart[],
  { model, streams, isSignature }: { model: string; streams: boolean; isSignature: (text: string) => boolean },
  { cache = false, lacks = [], maxTokens = Infinity }: ConverseLimits,
): string | undefined {
  if (!isObject(body)) return "The body is not an object";
  const odd = unknownKey(body, BODY);
  if (odd) return `extraneous key [${odd}] is not permitted`;
  const check = { cache, isSignature, documents: new Set<string>() };
  return (
    messagesProblem(body["messages"], check) ??
    pairingProblem(parts.filter((part) => !("image" in part || "document" in part))) ??
    nextMessageProblem(body["messages"] as Message[]) ??
    systemProblem(body["system"], cache) ??
    inferenceProblem(body["inferenceConfig"], maxTokens) ??
    toolProblem(body["toolConfig"], parts, model, cache) ??
    abilityProblem(body, streams, lacks)
  );
}

interface Message {
  readonly role: string;
  readonly content: readonly Fields[];
}

interface Check {
  readonly cache: boolean;
  readonly isSignature: (text: string) => boolean;
  readonly documents: Set<string>;
}

function messagesProblem(messages: unknown, check: Check): string | undefined {
  if (!Array.isArray(messages) || messages.length === 0) return "messages: at least one is required";
  let before = "assistant";
  for (const [at, message] of (messages as Message[]).entries()) {
    const odd = unknownKey(message as never, ["role", "content"]);
    if (odd) return `messages.${at}: extraneous key [${odd}] is not permitted`;
    if (message.role !== (before === "user" ? "assistant" : "user"))
      return at === 0
        ? "A conversation must start with a user message. Try again with a conversation that starts with a user message."
        : `Roles must alternate between "user" and "assistant", but found multiple "${message.role}" roles in a row`;
    before = message.role;
    if (!Array.isArray(message.content) || message.content.length === 0)
      return `The content field in the Message object at messages.${at} is empty.`;
    for (const [index, block] of message.content.entries()) {
      const problem = blockProblem(block, message, index, check);
      if (problem) return `messages.${at}.content.${index}: ${problem}`;
    }
    if (JSON.stringify(message.content).split('"image":').length - 1 > MOST_PICTURES)
      return `messages.${at}: too many images: the maximum is ${MOST_PICTURES}`;
    const hasDocument = message.content.some((block) => "document" in block);
    if (hasDocument && !message.content.some((block) => "text" in block))
      return `messages.${at}: a document must be accompanied by a text block`;
  }
  return before === "user" ? undefined : "This model does not support assistant message prefill";
}

function blockProblem(block: Fields, { role }: Message, index: number, check: Check): string | undefined {
  const members = Object.keys(block);
  if (members.length !== 1) return `exactly one member must be set, but there are [${members.join()}]`;
  const [member] = members as [string];
  const value = block[member] as Fields;
  const belongsTo: Readonly<Record<string, string>> = {
    toolUse: "assistant",
    reasoningContent: "assistant",
    toolResult: "user",
    image: "user",
    document: "user",
  };
  if (belongsTo[member] && belongsTo[member] !== role) return `${member} is not permitted in a message of the ${role}`;
  if (member === "cachePoint") return cacheProblem(value, index, check.cache);
  if (member === "toolUse") {
    const odd = unknownKey(value, ["toolUseId", "name", "input"]);
    if (odd) return `extraneous key [${odd}] is not permitted`;
    if (!ID.test(String(value["toolUseId"]))) return "toolUseId does not match [a-zA-Z0-9_.:-]{1,64}";
    if (!NAME.test(String(value["name"]))) return "name does not match [a-zA-Z0-9_-]{1,64}";
    return isObject(value["input"]) ? undefined : "input must be a JSON object";
  }
  if (member === "toolResult") return resultProblem(value, check);
  if (member === "reasoningContent") {
    const text = value["reasoningText"] as Fields | undefined;
    const given = text ? text["signature"] : value["redactedContent"];
    return check.isSignature(String(given)) ? undefined : "Invalid signature in reasoning content";
  }
  return contentProblem(member, block, check);
}

function resultProblem(value: Fields, check: Check): string | undefined {
  const odd = unknownKey(value, ["toolUseId", "content", "status"]);
  if (odd) return `extraneous key [${odd}] is not permitted`;
  if (!["success", "error"].includes(String(value["status"]))) return "status must be success or error";
  const { content } = value;
  if (!Array.isArray(content) || content.length === 0) return "toolResult.content is empty";
  for (const part of content as Fields[]) {
    const problem = contentProblem(Object.keys(part).join(), part, check);
    if (problem) return problem;
  }
  return undefined;
}

function contentProblem(member: string, block: Fields, { documents }: Check): string | undefined {
  if (member === "text") {
    const { text } = block;
    return typeof text === "string" && /\S/.test(text)
      ? undefined
      : "The text field in the ContentBlock object is blank.";
  }
  const value = block[member] as any;
  const odd = unknownKey(value, ["format", "name", "source"]) ?? unknownKey(value.source ?? {}, ["bytes"]);
  if (odd) return `extraneous key [${odd}] is not permitted`;
  if (member === "image")
    return PICTURES.includes(value.format) && value.source?.bytes ? undefined : "The image is not valid";
  if (member !== "document") return `unknown member ${member}`;
  if (!DOCUMENTS.includes(value.format) || !value.source?.bytes) return "The document is not valid";
  if (!DOCUMENT_NAME.test(value.name) || value.name.length > 200)
    return "The document file name contains odd characters";
  if (documents.has(value.name)) return `The document name "${value.name}" is used twice`;
  documents.add(value.name);
  if (documents.size > MOST_DOCUMENTS) return `You can include at most ${MOST_DOCUMENTS} documents`;
  return undefined;
}

function cacheProblem(value: Fields, index: number, cache: boolean): string | undefined {
  if (!cache) return "You invoked an unsupported model or your request did not allow prompt caching.";
  if (index === 0) return "a cachePoint must follow something";
  return value["type"] === "default" && !unknownKey(value, ["type", "ttl"]) ? undefined : "The cachePoint is not valid";
}

/** Every call is answered in the very next message, before anything else. */
function nextMessageProblem(messages: readonly Message[]): string | undefined {
  for (const [at, { content }] of messages.entries()) {
    const calls = content.flatMap(({ toolUse }) => (toolUse ? [(toolUse as Fields)["toolUseId"]] : []));
    const next = messages[at + 1]?.content ?? [];
    const answered = next.flatMap(({ toolResult }) => (toolResult ? [(toolResult as Fields)["toolUseId"]] : []));
    if (calls.toSorted().join() !== answered.toSorted().join())
      return `Expected toolResult blocks at messages.${at + 1}.content for the following Ids: ${calls.join()}`;
  }
  return undefined;
}

function systemProblem(system: unknown, cache: boolean): string | undefined {
  if (system === undefined) return undefined;
  if (!Array.isArray(system) || system.length === 0) return "system is empty";
  for (const [index, block] of (system as Fields[]).entries()) {
    if (isObject(block["cachePoint"])) {
      const problem = cacheProblem(block["cachePoint"], index, cache);
      if (problem) return problem;
    } else if (typeof block["text"] !== "string" || !/\S/.test(block["text"])) return "A system text is blank";
  }
  return undefined;
}

function inferenceProblem(config: unknown, most: number): string | undefined {
  if (config === undefined) return undefined;
  if (!isObject(config) || unknownKey(config, ["maxTokens", "temperature", "topP", "stopSequences"]))
    return "The inferenceConfig is not valid";
  const asked = Number(config["maxTokens"]);
  if (!Number.isInteger(asked) || asked <= 0) return "maxTokens is not valid";
  return asked > most
    ? `The maximum tokens you requested exceeds the model limit of ${most}. Try again with a maximum tokens value that is lower than ${most}.`
    : undefined;
}

function toolProblem(config: any, parts: readonly SeenPart[], model: string, cache: boolean): string | undefined {
  const hasCalls = parts.some((part) => "call" in part || "result" in part);
  if (config === undefined)
    return hasCalls
      ? "The toolConfig field must be defined when using toolUse and toolResult content blocks."
      : undefined;
  if (!Array.isArray(config.tools) || config.tools.length === 0) return "toolConfig.tools is empty";
  const names: string[] = [];
  for (const [index, tool] of config.tools.entries()) {
    if (tool.cachePoint) {
      const problem = cacheProblem(tool.cachePoint, index, cache);
      if (problem) return problem;
      continue;
    }
    const odd = unknownKey(tool.toolSpec, ["name", "description", "inputSchema"]);
    if (odd) return `toolSpec: extraneous key [${odd}] is not permitted`;
    const { name, description, inputSchema } = tool.toolSpec;
    if (!NAME.test(name)) return `toolSpec.name "${name}" does not match [a-zA-Z0-9_-]{1,64}`;
    if (description === "") return "toolSpec.description is empty";
    if (inputSchema?.json?.type !== "object") return "toolSpec.inputSchema.json.type must be object";
    const invalid = draftProblem(inputSchema.json);
    if (invalid) return `toolSpec.inputSchema.json: ${invalid}`;
    if (names.includes(name)) return `The tool ${name} is already defined`;
    const more = model.includes("amazon.nova") && unknownKey(inputSchema.json, ["type", "properties", "required"]);
    if (more) return `toolSpec.inputSchema.json: [${more}] is not supported at the root`;
    names.push(name);
  }
  const { toolChoice } = config;
  if (toolChoice === undefined) return undefined;
  const [kind, ...rest] = Object.keys(toolChoice);
  if (rest.length > 0 || !["auto", "any", "tool"].includes(kind ?? "")) return "toolConfig.toolChoice is not valid";
  return kind === "tool" && !names.includes(toolChoice.tool.name) ? "toolChoice names no tool" : undefined;
}

function abilityProblem(
  body: Fields,
  streams: boolean,
  lacks: NonNullable<ConverseLimits["lacks"]>,
): string | undefined {
  const tools = body["toolConfig"] as Fields | undefined;
  if (lacks.includes("streaming tools") && tools && streams)
    return "This model doesn't support tool use in streaming mode.";
  if (lacks.includes("tool choice") && tools?.["toolChoice"])
    return "This model doesn't support the toolConfig.toolChoice.any field. Remove toolConfig.toolChoice.any and try again.";
  if (lacks.includes("system") && body["system"])
    return "This model doesn't support system messages. Try again without system.";
  if (lacks.includes("output format") && body["outputConfig"])
    return "This model doesn't support the outputConfig field.";
  return undefined;
}

function unknownKey(value: Fields, known: readonly string[]): string | undefined {
  return Object.keys(value).find((key) => !known.includes(key));
}

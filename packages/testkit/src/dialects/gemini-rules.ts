// What Google refuses in a generateContent request, in its words.

import { isObject } from "@keelson/protocol";
import { draftProblem } from "./draft-schema.ts";
import { openApiProblem } from "./gemini-schema.ts";

export interface GeminiRules {
  readonly model: string;
  /** An old proxy: it knows `parameters` only, and no ids. */
  readonly old?: boolean;
  /** Results of this model may have no parts, whatever its name says. */
  readonly plainResults?: boolean;
  /** Whether a signature is one that the service made, and made for this model. */
  isSignature(signature: string): boolean;
}

/** What the service accepts instead of a signature. */
const SKIP = "skip_thought_signature_validator";

const generationOf = (model: string) => Number(/gemini-(\d+(?:\.\d+)?)/.exec(model)?.[1] ?? 0);

export function geminiProblem(body: any, rules: GeminiRules): string | undefined {
  return (
    unknownName(body, REQUEST, "") ??
    toolsProblem(body, rules) ??
    configProblem(body.generationConfig ?? {}, rules) ??
    contentsProblem(body, rules)
  );
}

/** The fields that are known; true for anything below, a list for a list of it. */
type Shape = true | readonly [Shape] | { readonly [name: string]: Shape };

const BLOB: Shape = { mimeType: true, data: true };
const PART: Shape = {
  text: true,
  thought: true,
  thoughtSignature: true,
  inlineData: BLOB,
  functionCall: { id: true, name: true, args: true },
  functionResponse: { id: true, name: true, response: true, parts: [{ inlineData: BLOB }] },
};
const REQUEST: Shape = {
  systemInstruction: { role: true, parts: [PART] },
  contents: [{ role: true, parts: [PART] }],
  tools: [{ functionDeclarations: [{ name: true, description: true, parameters: true, parametersJsonSchema: true }] }],
  toolConfig: { functionCallingConfig: { mode: true, allowedFunctionNames: true } },
  generationConfig: {
    maxOutputTokens: true,
    temperature: true,
    thinkingConfig: { includeThoughts: true, thinkingBudget: true, thinkingLevel: true },
    responseMimeType: true,
    responseJsonSchema: true,
  },
};

function unknownName(value: unknown, shape: Shape, at: string): string | undefined {
  if (shape === true) return undefined;
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) return `Invalid value at '${at}': expected a list`;
    return value.map((item, index) => unknownName(item, shape[0]!, `${at}[${index}]`)).find(Boolean);
  }
  if (!isObject(value)) return `Invalid value at '${at}': expected an object`;
  for (const [name, inner] of Object.entries(value)) {
    const known = (shape as Record<string, Shape>)[name];
    if (known === undefined)
      return `Invalid JSON payload received. Unknown name "${name}" at '${at}': Cannot find field.`;
    const problem = unknownName(inner, known, at === "" ? name : `${at}.${name}`);
    if (problem) return problem;
  }
  return undefined;
}

const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/;

function toolsProblem({ tools, toolConfig }: any, { old }: GeminiRules): string | undefined {
  if (tools === undefined) return toolConfig && "Function calling config is set without function_declarations.";
  const declared = tools.flatMap((tool: any) => tool.functionDeclarations ?? []);
  if (declared.length === 0) return "tools[0].function_declarations: should not be empty.";
  const names = declared.map(({ name }: any) => name);
  if (new Set(names).size < names.length) return "Duplicate function declaration found.";
  for (const [at, tool] of declared.entries()) {
    const where = `tools[0].function_declarations[${at}]`;
    if (!NAME.test(tool.name)) return `Invalid value at '${where}.name': must start with a letter or an underscore.`;
    if (old && tool.parametersJsonSchema !== undefined)
      return `Invalid JSON payload received. Unknown name "parametersJsonSchema" at '${where}': Cannot find field.`;
    if (tool.parameters !== undefined && tool.parametersJsonSchema !== undefined)
      return `${where}: parameters and parameters_json_schema are mutually exclusive.`;
    if (typeof tool.description !== "string" || tool.description === "")
      return `${where}.description: should be non-empty.`;
    const json = tool.parametersJsonSchema;
    if (json !== undefined && (json.type !== "object" || "$schema" in json))
      return `${where}.parameters_json_schema: only a schema of type object is allowed.`;
    const problem =
      (tool.parameters === undefined ? undefined : openApiProblem(tool.parameters, `${where}.parameters`)) ??
      (json === undefined ? undefined : draftProblem(json, `${where}.parameters_json_schema`));
    if (problem) return problem;
  }
  const { mode, allowedFunctionNames } = toolConfig?.functionCallingConfig ?? { mode: "AUTO" };
  if (!["AUTO", "ANY", "NONE", "VALIDATED"].includes(mode)) return `Invalid value at 'mode': "${mode}"`;
  if (allowedFunctionNames === undefined) return undefined;
  if (mode !== "ANY" && mode !== "VALIDATED") return "allowed_function_names should only be set when mode is ANY.";
  return allowedFunctionNames.every((name: string) => names.includes(name))
    ? undefined
    : "allowed_function_names contains a function that is not declared.";
}

function configProblem(
  { maxOutputTokens, thinkingConfig, responseJsonSchema, responseMimeType }: any,
  { model }: GeminiRules,
): string | undefined {
  if (responseJsonSchema !== undefined && responseMimeType !== "application/json")
    return "response_json_schema requires response_mime_type application/json.";
  if (maxOutputTokens !== undefined && !(Number.isInteger(maxOutputTokens) && maxOutputTokens > 0))
    return "max_output_tokens must be positive.";
  if (thinkingConfig === undefined) return undefined;
  const generation = generationOf(model);
  const { thinkingBudget, thinkingLevel } = thinkingConfig;
  if (generation < 2.5) return "Thinking is not enabled for this model.";
  if (thinkingBudget !== undefined && thinkingLevel !== undefined)
    return "You can only set only one of thinking budget and thinking level.";
  if (thinkingLevel !== undefined && generation < 3) return "Thinking level is not supported for this model.";
  if (thinkingLevel !== undefined && !["MINIMAL", "LOW", "MEDIUM", "HIGH"].includes(thinkingLevel))
    return `Invalid value at 'thinking_level': "${thinkingLevel}"`;
  if (thinkingBudget === 0 && /pro/.test(model)) return "Budget 0 is invalid. This model only works in thinking mode.";
  return undefined;
}

function contentsProblem({ contents, systemInstruction }: any, rules: GeminiRules): string | undefined {
  if (!Array.isArray(contents) || contents.length === 0) return "contents is not specified";
  let open: readonly any[] = [];
  for (const [at, { role, parts }] of contents.entries()) {
    if (role !== "user" && role !== "model") return "Please use a valid role: user, model.";
    if (!Array.isArray(parts) || parts.length === 0) return `contents[${at}].parts must not be empty.`;
    if (role !== (at % 2 === 0 ? "user" : "model"))
      return "Please ensure that multiturn requests alternate between user and model.";
    const problem = parts.map((part: any) => partProblem(part, role, rules)).find(Boolean);
    if (problem) return problem;
    const responses = parts.filter(({ functionResponse }: any) => functionResponse);
    if (role === "user") {
      const wrong = pairingProblem(open, responses, parts);
      if (wrong) return wrong;
    }
    open = parts.filter(({ functionCall }: any) => functionCall);
  }
  if (open.length > 0) return RESPONSES;
  if (contents.at(-1).role !== "user") return "Please ensure that single turn requests end with a user role.";
  const system = (systemInstruction?.parts ?? []).find(({ text }: any) => typeof text !== "string" || text === "");
  return system ? "system_instruction must have text." : signatureProblem(contents, rules);
}

const RESPONSES =
  "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";

function pairingProblem(calls: readonly any[], responses: readonly any[], parts: readonly any[]): string | undefined {
  if (calls.length === 0 && responses.length > 0)
    return "Please ensure that function response turn comes immediately after a function call turn.";
  if (calls.length !== responses.length) return RESPONSES;
  if (!responses.every((response, at) => response === parts[at])) return "Function responses must come first.";
  for (const [at, { functionCall: call }] of calls.entries()) {
    const { functionResponse: response } = responses[at];
    if (call.name !== response.name) return `Function response name "${response.name}" does not match "${call.name}".`;
    if (call.id !== response.id) return `Function response id "${response.id}" does not match "${call.id}".`;
  }
  return undefined;
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const KINDS = ["text", "inlineData", "functionCall", "functionResponse"];
const MEDIA = /^(?:image\/(?:png|jpeg|webp|heic|heif)|application\/pdf)$/;
const RESULT_MEDIA = /^(?:image\/(?:png|jpeg|webp)|application\/pdf)$/;

function partProblem(part: any, role: string, { model, old, plainResults }: GeminiRules): string | undefined {
  const kinds = KINDS.filter((kind) => part[kind] !== undefined);
  if (kinds.length !== 1) return "A part must have exactly one of its data fields.";
  if (part.thought !== undefined) return "Thoughts must not be sent back.";
  const { text, inlineData, functionCall, functionResponse } = part;
  if (text !== undefined && (typeof text !== "string" || text.trim() === ""))
    return "Unable to submit request because it must have a text parameter.";
  if (inlineData && !BASE64.test(inlineData.data)) return "Base64 decoding failed for inline_data.data.";
  if (inlineData && (role !== "user" || !MEDIA.test(inlineData.mimeType)))
    return `Unsupported MIME type: ${inlineData.mimeType}`;
  if (functionCall && (role !== "model" || !NAME.test(functionCall.name) || !isObject(functionCall.args)))
    return "Invalid function_call.";
  if (old && (functionCall?.id ?? functionResponse?.id) !== undefined)
    return `Invalid JSON payload received. Unknown name "id" at 'contents': Cannot find field.`;
  if (!functionResponse) return undefined;
  const { name, response, parts } = functionResponse;
  if (role !== "user" || !NAME.test(name) || !isObject(response)) return "Invalid function_response.";
  const [key, ...others] = Object.keys(response);
  if ((key !== "output" && key !== "error") || others.length > 0)
    return "function_response.response is not understood.";
  if (parts !== undefined && (generationOf(model) < 3 || plainResults))
    return "Multimodal function responses are not supported for this model.";
  const wrong = (parts ?? []).find(({ inlineData: data }: any) => !RESULT_MEDIA.test(data?.mimeType));
  return wrong ? `Unsupported MIME type: ${wrong.inlineData?.mimeType}` : undefined;
}

/** From generation 3 on: since the last real user message, the first call of every step must be signed. */
function signatureProblem(contents: readonly any[], { model, isSignature }: GeminiRules): string | undefined {
  const parts = contents.flatMap(({ parts: all }) => all);
  const foreign = parts.find(
    ({ thoughtSignature: signature }) => signature !== undefined && signature !== SKIP && !isSignature(signature),
  );
  if (foreign) return "Corrupted thought signature.";
  if (generationOf(model) < 3)
    return parts.some(({ thoughtSignature }) => thoughtSignature === SKIP) ? "Corrupted thought signature." : undefined;
  const isReal = ({ role, parts: all }: any) => role === "user" && !all.some((part: any) => part.functionResponse);
  const current = contents.slice(contents.findLastIndex(isReal) + 1);
  for (const [at, { parts: all }] of current.entries()) {
    const first = all.find(({ functionCall }: any) => functionCall);
    if (first && first.thoughtSignature === undefined)
      return `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${first.functionCall.name}\`, position ${at + 1}.`;
  }
  return undefined;
}

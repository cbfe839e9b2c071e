// A question of an MCP server: passed on as it is where the editor takes such questions, otherwise cancelled. An address is
// only ever named to the user.

import { isJsonObject, isObject, type Json, type JsonObject, type Unchecked } from "@keelson/protocol";
import type { FormRequest } from "../schema/types.ts";
import { textAt } from "./asked-call.ts";
import type { QuestionStep, QuestionContext } from "./question.ts";

const CANCELLED: JsonObject = { action: "cancel" };

export function serverQuestion(request: Unchecked<"elicitation">, context: QuestionContext): QuestionStep {
  const params = paramsOf(request, context);
  if (params === undefined) return { reply: CANCELLED };
  return {
    ask: {
      method: "elicitation/create",
      params,
      answer: (result) => ({ reply: readAnswer(result, params.mode === "form") }),
    },
  };
}

function paramsOf(request: Unchecked<"elicitation">, context: QuestionContext): FormRequest | undefined {
  const { sessionId, capabilities, newId } = context;
  const server = textAt(request, "mcp_server_name") ?? "";
  const about = { sessionId, message: `MCP server "${server}": ${textAt(request, "message") ?? ""}` };
  if (request.mode === "url") {
    const url = textAt(request, "url");
    if (!isObject(capabilities.elicitation?.url) || url === undefined || URL.parse(url) === null) return undefined;
    return { ...about, mode: "url", url, elicitationId: textAt(request, "elicitation_id") ?? newId() };
  }
  const schema = request.requested_schema;
  if (!isObject(capabilities.elicitation?.form) || !isForm(schema)) return undefined;
  return { ...about, mode: "form", requestedSchema: schema };
}

/** A flat object of fields that people can fill in, as both protocols want it. */
function isForm(schema: unknown): schema is JsonObject {
  if (!isObject(schema) || schema["type"] !== "object" || !isObject(schema["properties"])) return false;
  return Object.values(schema["properties"]).every(
    (field) => isObject(field) && FIELDS.has(field["type"]) && (field["type"] !== "array" || isObject(field["items"])),
  );
}

const FIELDS = new Set<unknown>(["string", "number", "integer", "boolean", "array"]);

function readAnswer(result: unknown, hasContent: boolean): JsonObject {
  if (!isObject(result)) return CANCELLED;
  const { action, content } = result;
  if (action === "decline") return { action };
  if (action !== "accept") return CANCELLED;
  if (!hasContent) return { action };
  if (content === undefined || content === null) return { action, content: {} };
  return isJsonObject(content) && Object.values(content).every(isValue) ? { action, content } : CANCELLED;
}

const isValue = (value: unknown): value is Json =>
  typeof value === "string" ||
  typeof value === "boolean" ||
  (typeof value === "number" && Number.isFinite(value)) ||
  (Array.isArray(value) && value.every((each) => typeof each === "string"));

// What the clouds that speak the format of the Messages API refuse in a body.

import { isObject } from "@keelson/protocol";
import { messageProblems } from "../model/message-problems.ts";
import { draftProblem } from "./draft-schema.ts";

export interface MessagesLimits {
  /** Fields of the body besides those of every Messages request, such as `anthropic_version`. */
  readonly fields: readonly string[];
  /** Whether the server gave this signature. */
  readonly isSignature: (text: string) => boolean;
}

const FIELDS = ["max_tokens", "messages", "system", "tools", "tool_choice", "thinking", "output_config", "metadata"];
const BLOCKS = ["text", "image", "document", "tool_use", "tool_result", "thinking", "redacted_thinking"];

/** The first thing that is wrong; undefined if nothing is. */
export function messagesBodyProblem(body: any, { fields, isSignature }: MessagesLimits): string | undefined {
  if (!isObject(body)) return "The body is not an object";
  const odd = Object.keys(body).find((key) => !FIELDS.includes(key) && !fields.includes(key));
  if (odd) return `extraneous key [${odd}] is not permitted`;
  if (!Array.isArray(body["messages"])) return "messages: Field required";
  if (!Number.isInteger(body["max_tokens"])) return "max_tokens: Field required";
  for (const tool of (body["tools"] ?? []) as any[]) {
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(tool.name)) return `tools: name "${tool.name}" does not match the pattern`;
    const problem = tool.input_schema === undefined ? undefined : schemaProblem(tool.input_schema);
    if (problem) return `tools.${tool.name}.input_schema: ${problem}`;
  }
  const marks = JSON.stringify([body["tools"], body["system"], body["messages"]]).match(/"cache_control":\{/g) ?? [];
  if (marks.length > 4) return `A maximum of 4 blocks with cache_control may be provided. Found ${marks.length}.`;
  const thinking = thinkingProblem(body);
  if (thinking) return thinking;
  if (body["tool_choice"] && !body["tools"]) return "tool_choice may only be specified while providing tools";
  for (const message of body["messages"] as any[]) {
    const extra = Object.keys(message).find((key) => key !== "role" && key !== "content");
    if (extra) return `messages: extraneous key [${extra}] is not permitted`;
    if (typeof message.content === "string") continue;
    for (const block of message.content) {
      if (!BLOCKS.includes(block.type)) return `messages: the block type "${block.type}" is not known`;
      const id = block.id ?? block.tool_use_id;
      if (id !== undefined && !/^[a-zA-Z0-9_-]+$/.test(id))
        return `messages: the id "${id}" does not match the pattern`;
      if (block.type === "thinking" && !isSignature(block.signature))
        return "messages: Invalid `signature` in `thinking` block";
    }
  }
  return messageProblems(body["messages"] as never)[0];
}

function schemaProblem(schema: any): string | undefined {
  if (schema.type !== "object") return "Input should be 'object'";
  if (schema.oneOf ?? schema.allOf ?? schema.anyOf)
    return "input_schema does not support oneOf, allOf, or anyOf at the top level";
  const odd = Object.keys(schema.properties ?? {}).find((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name));
  if (odd) return `Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$', but got "${odd}"`;
  return draftProblem(schema);
}

/** A fixed budget fits into the reply, forces no tool, and begins every turn that answers calls with thinking. */
function thinkingProblem({ thinking, max_tokens, tool_choice, messages }: any): string | undefined {
  if (thinking === undefined || thinking.type === "disabled") return undefined;
  if (tool_choice?.type === "any" || tool_choice?.type === "tool")
    return "Thinking may not be enabled when tool_choice forces tool use.";
  if (thinking.type !== "enabled") return undefined;
  const budget = thinking.budget_tokens;
  if (!(budget >= 1_024)) return "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024";
  if (budget >= max_tokens) return "`max_tokens` must be greater than `thinking.budget_tokens`";
  const last = messages.at(-1)?.content;
  if (!Array.isArray(last) || !last.some(({ type }: any) => type === "tool_result")) return undefined;
  const turn = messages.findLast(({ role }: any) => role === "assistant").content;
  return turn[0]?.type === "thinking" || turn[0]?.type === "redacted_thinking"
    ? undefined
    : "Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block";
}

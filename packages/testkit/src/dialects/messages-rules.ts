// What the clouds that speak the format of the Messages API refuse in a body.

import { isObject } from "@keelson/protocol";
import { messageProblems } from "../model/message-problems.ts";

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
  for (const tool of (body["tools"] ?? []) as any[])
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(tool.name)) return `tools: name "${tool.name}" does not match the pattern`;
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

// A prompt as a transcript has it. Pure.

import { blocksOf, isJoinedPrompt, isToolResult, type ChainEntry, type ModelMessage } from "@keelson/protocol";

/** Whether it is the prompt whose message has this id. */
export function isPromptWithId(entry: ChainEntry, id: string): boolean {
  if (isJoinedPrompt(entry)) return entry.uuid === id || entry.attachment["source_uuid"] === id;
  if (entry.type !== "user" || entry.uuid !== id || entry.isMeta || entry.isCompactSummary) return false;
  return !blocksOf(entry.message.content).some(isToolResult);
}

/** Added for a prompt, and written before it. */
const ADDED = new Set([
  "agent_mention",
  "directory",
  "file",
  "hook_additional_context",
  "keelson_mention",
  "mcp_resource",
]);

/** What belongs to the result of a call was added for that. */
export const isAddedForPrompt = (entry: ChainEntry): boolean =>
  entry.type === "attachment" && ADDED.has(entry.attachment.type) && entry.attachment["toolUseID"] === undefined;

export function promptContent(entry: ChainEntry): ModelMessage["content"] {
  if (isJoinedPrompt(entry)) return entry.attachment["prompt"] as ModelMessage["content"];
  return entry.type === "user" ? entry.message.content : "";
}

// What the conversation consists of, by kind: calls and results of each tool, reminders, and what was said.

import { blocksOf, isText, isToolResult, isToolUse, type ContentBlock, type ModelMessage } from "@keelson/protocol";

/** Tokens, at four bytes each. */
export const estimate = (text: string) => Math.ceil(Buffer.byteLength(text) / 4);

export function sizeOfMessages(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, { content }) => blocksOf(content).reduce((all, block) => all + sizeOf(block), sum), 0);
}

export function breakdownOf(messages: readonly ModelMessage[]) {
  const sums = { tools: new Map<string, ToolTokens>(), reminders: 0, replies: 0, prompts: 0 };
  const names = new Map<string, string>();
  const ofTool = (name: string): ToolTokens => {
    const known = sums.tools.get(name) ?? { name, callTokens: 0, resultTokens: 0 };
    sums.tools.set(name, known);
    return known;
  };
  for (const { role, content } of messages) {
    for (const block of blocksOf(content)) {
      const tokens = sizeOf(block);
      if (isToolUse(block)) {
        names.set(block.id, block.name);
        ofTool(block.name).callTokens += tokens;
      } else if (isToolResult(block)) ofTool(names.get(block.tool_use_id) ?? "unknown").resultTokens += tokens;
      else if (role === "assistant") sums.replies += tokens;
      else if (isText(block) && block.text.trimStart().startsWith("<system-reminder>")) sums.reminders += tokens;
      else sums.prompts += tokens;
    }
  }
  const tools = [...sums.tools.values()];
  return {
    toolCallTokens: tools.reduce((sum, { callTokens }) => sum + callTokens, 0),
    toolResultTokens: tools.reduce((sum, { resultTokens }) => sum + resultTokens, 0),
    attachmentTokens: sums.reminders,
    assistantMessageTokens: sums.replies,
    userMessageTokens: sums.prompts,
    toolCallsByType: tools.sort((a, b) => sizeOfTool(b) - sizeOfTool(a)),
    attachmentsByType: sums.reminders > 0 ? [{ name: "system-reminder", tokens: sums.reminders }] : [],
  };
}

interface ToolTokens {
  readonly name: string;
  callTokens: number;
  resultTokens: number;
}

const sizeOfTool = ({ callTokens, resultTokens }: ToolTokens) => callTokens + resultTokens;

/** Pictures and documents cost by what they show, not by their bytes. */
const PICTURE = 1_600;

function sizeOf(block: ContentBlock): number {
  if (isText(block)) return estimate(block.text);
  if (block.type === "image" || block.type === "document") return PICTURE;
  if (!isToolResult(block)) return estimate(JSON.stringify(block));
  return typeof block.content === "string"
    ? estimate(block.content)
    : blocksOf(block.content ?? []).reduce((sum, each) => sum + sizeOf(each), 0);
}

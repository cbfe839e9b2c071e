// Reads what a server returns for a resource or a prompt.

import { isObject, type ContentBlock } from "@keelson/protocol";
import { handledBlocks } from "../tools/content.ts";
import type { PartHandling } from "../tools/files.ts";
import { plainLine, plainText } from "../plain-text.ts";
import { INTERNAL_ERROR, McpError } from "../connection/rpc.ts";

export interface ResourceContent {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  /** Base64. */
  readonly blob?: string;
}

export interface McpPromptMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly ContentBlock[];
}

export interface McpPromptResult {
  readonly description?: string;
  readonly messages: readonly McpPromptMessage[];
}

const MAX_CONTENTS = 1_000;
const MAX_MESSAGES = 100;
const MAX_DESCRIPTION_LENGTH = 2_048;

/** Throws McpError if this is not the content of a resource. */
export function readResourceResult(result: unknown): readonly ResourceContent[] {
  const contents: unknown = isObject(result) ? result["contents"] : undefined;
  if (!Array.isArray(contents)) throw new McpError(INTERNAL_ERROR, "the result of resources/read has no contents");
  return contents.slice(0, MAX_CONTENTS).flatMap((value: unknown) => {
    if (!isObject(value) || typeof value["uri"] !== "string") return [];
    const { uri, mimeType, text, blob } = value;
    return [
      {
        uri: plainLine(uri as string, 4_096),
        ...(typeof mimeType === "string" ? { mimeType: plainLine(mimeType, 200) } : {}),
        ...(typeof text === "string" ? { text: text.toWellFormed() } : {}),
        ...(typeof text !== "string" && typeof blob === "string" ? { blob } : {}),
      },
    ];
  });
}

/** Throws McpError if this is not a prompt. */
export async function readPromptResult(result: unknown, server: string, parts: PartHandling): Promise<McpPromptResult> {
  const messages: unknown = isObject(result) ? result["messages"] : undefined;
  if (!isObject(result) || !Array.isArray(messages)) {
    throw new McpError(INTERNAL_ERROR, "the result of prompts/get has no messages");
  }
  const { description } = result;
  const read: McpPromptMessage[] = [];
  for (const message of messages.slice(0, MAX_MESSAGES) as unknown[]) {
    if (!isObject(message)) continue;
    const role = message["role"] === "assistant" ? "assistant" : "user";
    read.push({ role, content: await handledBlocks(message["content"], server, parts) });
  }
  return {
    ...(typeof description === "string" ? { description: plainText(description, MAX_DESCRIPTION_LENGTH) } : {}),
    messages: read,
  };
}

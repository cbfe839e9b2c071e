// The prompts of a conversation that it can be taken back to.

import { promptItems, type Requests } from "@keelson/client";

export interface PastPrompt {
  /** Of its message. */
  readonly id: string;
  readonly text: string;
}

export interface PromptPage {
  /** Newest first. */
  readonly prompts: readonly PastPrompt[];
  /** Where older ones begin; null if there are none. */
  readonly before: string | null;
}

const MESSAGES = 1_000;

/** Reads on until there is a prompt, or no more. */
export async function readPrompts(requests: Requests, from?: string): Promise<PromptPage> {
  let before: string | null = from ?? null;
  do {
    const page = await requests.request("get_messages", { limit: MESSAGES, ...(before === null ? {} : { before }) });
    ({ before } = page);
    const prompts = page.messages.flatMap((message): PastPrompt[] => {
      if (message.type !== "user" || message.parent_tool_use_id !== null || message.isSynthetic || !message.uuid)
        return [];
      const [item] = promptItems(message.message.content);
      if (item?.kind !== "prompt" || item.as === "command") return [];
      return [{ id: message.uuid, text: item.text || "An image" }];
    });
    if (prompts.length > 0) return { prompts: prompts.reverse(), before };
  } while (before !== null);
  return { prompts: [], before: null };
}

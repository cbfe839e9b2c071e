// A prompt of the conversation, as an editor shows it: what was typed and attached, not what Keelson added.

import { promptItems, type PromptItem } from "@keelson/client";
import { blocksOf, isText, type ModelMessage } from "@keelson/protocol";
import { attachedIn } from "../prompt/attached.ts";
import type { ContentPart } from "../schema/types.ts";
import { imagePart } from "./call-content.ts";

export function promptParts(item: PromptItem, content: ModelMessage["content"]): readonly ContentPart[] {
  if (item.as === "shell") return [{ type: "text", text: `!${item.text}` }];
  if (item.as === "command") return [{ type: "text", text: item.text }];
  return blocksOf(content).flatMap((block): readonly ContentPart[] => {
    const image = imagePart(block);
    if (!isText(block)) return image ? [image] : [];
    return attachedIn(block.text).flatMap((part): readonly ContentPart[] => {
      if (part.type !== "text") return [part];
      const [typed] = promptItems(part.text);
      return typed?.kind === "prompt" ? [{ type: "text", text: typed.text }] : [];
    });
  });
}

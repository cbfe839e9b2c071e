// System messages amid a conversation, for servers that know only one at its start.

import { asReminder, blocksOf, textOf, type ContentBlock, type ModelMessage } from "@keelson/protocol";

/** The blocks of a message. A system message becomes a reminder, which the user's side says. */
export function blocksToSend({ role, content }: ModelMessage): readonly ContentBlock[] {
  if ((role as string) !== "system") return blocksOf(content);
  return [{ type: "text", text: asReminder(textOf(content)) }];
}

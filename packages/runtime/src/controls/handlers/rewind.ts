// Keelson only: takes the conversation back to before a prompt.

import { done, failed, textIn, type ControlHandler } from "../reply.ts";

export const rewindConversationControl: ControlHandler = async (request, targets) => {
  const prompt = textIn(request, "user_message_id");
  if (targets.isRunning()) return failed("rewind_conversation: a run is active; interrupt it first", "busy");
  return done(await targets.rewindConversation(prompt));
};

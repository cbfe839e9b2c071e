// Requests of clients about the conversation itself: to read it, and to change it at one of its prompts.

import { done, failed, numberIn, textIn, type ControlHandler } from "../reply.ts";

const DEFAULT_MESSAGES = 200;
const MOST_MESSAGES = 1_000;

/** Keelson only: a page of the conversation. */
export const getMessages: ControlHandler<"get_messages"> = async (request, targets) => {
  const limit = Math.min(numberIn(request, "limit") ?? DEFAULT_MESSAGES, MOST_MESSAGES);
  if (limit === 0) return failed('get_messages: "limit" must be at least 1');
  const before = request.before === undefined ? {} : { before: textIn(request, "before") };
  return done(await targets.messages({ ...before, limit }));
};

/** Keelson only: takes the conversation back to before a prompt. */
export const rewindConversationControl: ControlHandler<"rewind_conversation"> = async (request, targets) => {
  const prompt = textIn(request, "user_message_id");
  if (targets.isRunning()) return failed("rewind_conversation: a run is active; interrupt it first", "busy");
  return done(await targets.rewindConversation(prompt));
};

/** Keelson only: replaces everything before a prompt, or from it on, with a summary. */
export const compactConversationControl: ControlHandler<"compact_conversation"> = async (
  request,
  targets,
  { signal },
) => {
  const prompt = textIn(request, "user_message_id");
  const { direction = "up_to" } = request;
  if (direction !== "up_to" && direction !== "from") {
    return failed('compact_conversation: "direction" must be "up_to" or "from"');
  }
  const instructions = request.instructions === undefined ? "" : textIn(request, "instructions");
  if (targets.isRunning()) return failed("compact_conversation: a run is active; interrupt it first", "busy");
  const options = { direction, instructions: instructions.trim() || undefined, signal } as const;
  const outcome = await targets.summarizeAtPrompt(prompt, options);
  return "error" in outcome ? failed(outcome.error, "not_compacted") : done(outcome);
};

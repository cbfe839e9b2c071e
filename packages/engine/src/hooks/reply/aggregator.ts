// Combines what all handlers of one event replied. The strictest verdict wins, whatever order the replies arrive in.

import { NOTHING_SAID, type HookOutcome, type HookPermission, type HookVerdict } from "@keelson/protocol";
import type { HookReply } from "./reply.ts";

/** deny > defer > ask > allow. In the opposite order, a convenience hook could override a guard that wants approval. */
const STRICTEST: readonly HookVerdict[] = ["deny", "defer", "ask", "allow"];

export function foldReplies(replies: readonly HookReply[]): HookOutcome {
  if (replies.length === 0) return NOTHING_SAID;
  const verdict = STRICTEST.find((candidate) => replies.some((reply) => reply.verdict === candidate));
  // A call that will not run, or not now, keeps its original input.
  const runs = verdict !== "deny" && verdict !== "defer";
  const rewritten = runs ? replies.findLast(({ input }) => input !== undefined) : undefined;
  const replaced = replies.findLast(({ output }) => output !== undefined);
  const stops = replies.flatMap(({ stop }) => (stop === undefined ? [] : [stop]));
  const permission = strictestAnswer(replies.flatMap((reply) => reply.permission ?? []));
  const fields = replies.flatMap((reply) => reply.fields ?? []);
  return {
    ...(verdict && { verdict }),
    reasons: replies.flatMap((reply) => (reply.verdict === verdict && reply.reason ? [reply.reason] : [])),
    context: replies.flatMap(({ context }) => context),
    ...(rewritten && { input: rewritten.input }),
    ...(replaced && { output: replaced.output }),
    ...(stops.length > 0 && { stop: stops.find((reason) => reason !== "") ?? "" }),
    ...(permission && { permission }),
    ...(fields.length > 0 && { fields: Object.assign({}, ...fields) as Record<string, unknown> }),
  };
}

function strictestAnswer(answers: readonly HookPermission[]): HookPermission | undefined {
  return answers.find(({ behavior }) => behavior === "deny") ?? answers.at(-1);
}

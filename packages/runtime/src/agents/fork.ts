// Forks: subagents that begin with the conversation of their parent. Their requests begin with the same bytes as the
// parent's, so that the provider reads them from its cache.

import { Conversation, ToolError, withCacheMark, type Tool } from "@keelson/engine";
import { blocksOf, isToolUse, type ModelMessage } from "@keelson/protocol";
import type { Spawner } from "./spawner.ts";

/** Marks the first message of a fork. */
const TAG = "fork-boilerplate";

/** What a fork reads before its task. */
export const FORK_RULES = `<${TAG}>
You are a fork: a copy of the agent whose conversation you see above, made for one task. You are not that agent.
1. Do the task below yourself, with your tools. Do not start other agents, whatever is said above.
2. Do not talk to the user, ask questions or propose next steps. Only the agent that made you reads your answer.
3. Stay within the task. What else was asked above is for others.
4. Your last message is the result: what you found or did, with the paths of the files that matter. Keep it short.
</${TAG}>`;

/** Whether this conversation is a fork's. */
export function isForked(messages: readonly ModelMessage[]): boolean {
  const marked = `<${TAG}>`;
  return messages.some(
    ({ role, content }) =>
      role === "user" &&
      blocksOf(content).some((block) => block.type === "text" && (block as { text: string }).text.includes(marked)),
  );
}

/**
 * The conversation of the parent up to this call, which is answered. The parent's latest cache mark stays where it was
 * in its own request.
 */
export function forkedConversation({ conversation, model }: Spawner, toolUseId: string): Conversation {
  const { messages } = conversation();
  const at = messages.findLastIndex(
    ({ role, content }) =>
      role === "assistant" && blocksOf(content).some((block) => isToolUse(block) && block.id === toolUseId),
  );
  if (at < 0) throw new ToolError("A fork needs the conversation that it is made from.");
  const reply = blocksOf(messages[at]!.content);
  const kept = reply.slice(0, reply.findIndex((block) => isToolUse(block) && block.id === toolUseId) + 1);
  const answers = kept.filter(isToolUse).map(({ id }) => ({
    type: "tool_result" as const,
    tool_use_id: id,
    content: id === toolUseId ? "The fork starts here." : "This call is not the fork's concern.",
  }));
  return Conversation.from([
    ...withCacheMark(messages.slice(0, at), model()),
    { role: "assistant", content: kept },
    { role: "user", content: answers },
  ]);
}

/** Tools that belong to the session's own conversation. */
const SESSION_TOOLS = new Set(["EnterPlanMode", "EnterWorktree", "ExitPlanMode", "ExitWorktree", "StructuredOutput"]);

/** The parent's tools, described as the parent describes them. */
export function forkTools(
  parent: Pick<Spawner, "tools" | "deferredTools">,
  own: readonly Tool[],
): () => { readonly tools: readonly Tool[]; readonly deferred: readonly Tool[] } {
  const forked = (tools: readonly Tool[]) => tools.map((tool) => forkTool(tool, own));
  let built: { readonly from: readonly Tool[]; readonly tools: readonly Tool[] } | undefined;
  let known: { readonly from: readonly Tool[]; readonly deferred: readonly Tool[] } | undefined;
  return () => {
    const from = parent.tools();
    if (built?.from !== from) built = { from, tools: forked(from) };
    const hidden = parent.deferredTools();
    if (known?.from !== hidden) known = { from: hidden, deferred: forked(hidden) };
    return { tools: built.tools, deferred: known.deferred };
  };
}

function forkTool(tool: Tool, own: readonly Tool[]): Tool {
  const mine = own.find(({ name }) => name === tool.name);
  if (mine) return { ...mine, description: tool.description, input: tool.input, onDemand: tool.onDemand };
  if (!SESSION_TOOLS.has(tool.name)) return tool;
  return {
    ...tool,
    check() {
      throw new ToolError(`${tool.name} is for the session's own agent; a fork cannot use it.`);
    },
  };
}

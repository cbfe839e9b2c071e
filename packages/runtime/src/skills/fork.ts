// A skill with `context: fork`: its text is the prompt of a subagent, which sees nothing of the conversation. The session's
// gate, hooks and budget apply to it; only its answer reaches the conversation.

import { Conversation, run, type Ports } from "@keelson/engine";
import { createLedger } from "@keelson/host";
import { NOTHING_SAID, type HookEvent, type NewEntry, type Skill } from "@keelson/protocol";
import { agentPorts } from "../session/agent-ports.ts";
import { limitsOf } from "../session/limits.ts";
import type { InvokeParts } from "./invoke.ts";

/** Tools that belong to the session's own conversation, or would start another subagent. */
const NOT_FOR_CHILDREN = new Set(
  "AskUserQuestion EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree Skill TaskOutput".split(" "),
);

/** The events of its tool calls are the session's; those of its prompt are not. */
const FORWARDED = new Set<HookEvent>(["PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch"]);

/** Rejects with a sentence for the user if it does not come to an answer. */
export async function runFork(
  skill: Skill,
  text: string,
  attachments: readonly NewEntry[],
  parts: InvokeParts,
): Promise<{ readonly agentId: string; readonly result: string }> {
  const { storage, gate, effects, ports } = parts;
  const agentId = `a${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`;
  const about = { agent_id: agentId, agent_type: skill.fork?.agent ?? "general-purpose" };
  const started = await ports.fire("SubagentStart", about);
  const conversation = new Conversation(storage.state.instructions?.preface);
  const content = [text, ...started.context].map((each) => ({ type: "text" as const, text: each }));
  const child = childPorts(parts, about, effects.model, attachments);
  const { maxTurns, maxBudgetUsd } = limitsOf(storage.state.snapshot);
  const { reason, text: result } = await run(
    { type: "user", message: { role: "user", content }, parent_tool_use_id: null, client_composed: true },
    gate.ruleBook.mode,
    conversation,
    child,
    { maxTurns, maxBudgetUsd },
  );
  if (reason !== "completed") throw new Error(`The subagent of ${skill.name} ended early (${reason}): ${result}`);
  return { agentId, result };
}

function childPorts(
  parts: InvokeParts,
  about: { readonly agent_id: string; readonly agent_type: string },
  model: Ports["model"],
  attachments: readonly NewEntry[],
): Ports {
  const { storage, ports } = parts;
  const shared = agentPorts(parts, ports.signal);
  const tools = ports.tools().filter(({ name }) => !NOT_FOR_CHILDREN.has(name));
  const seen = createLedger(); // the session's model has not seen what this agent reads
  let waiting = attachments;
  return {
    ...shared,
    model,
    tools: () => tools,
    system: storage.state.system,
    signal: ports.signal,
    interrupt: () => ports.interrupt(),
    partial: false,
    record: () => undefined,
    show: () => undefined,
    admitted: () => undefined,
    instructionsFor: () => [],
    steering: () => {
      const taken = waiting;
      waiting = [];
      return taken;
    },
    fire: async (event, input) => {
      if (event === "Stop") return ports.fire("SubagentStop", { ...input, ...about });
      return FORWARDED.has(event) ? ports.fire(event, { ...input, ...about }) : NOTHING_SAID;
    },
    context: (call) => ({ ...shared.context(call), seen }),
  };
}

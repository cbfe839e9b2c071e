// An agent that can start others: the session's own agent, or a subagent.

import type { Conversation, ModelChoice, Tool } from "@keelson/engine";
import type { Gate } from "../gate/gate.ts";
import type { HookStage } from "../hooks/open-hooks.ts";
import type { Machine } from "../machine/machine.ts";
import type { McpStage } from "../mcp/open-servers.ts";
import type { SkillStage } from "../skills/open-skills.ts";
import type { Storage } from "../session/storage.ts";

/** The stages of a session that its subagents share. */
export interface AgentStages extends HookStage {
  readonly storage: Storage;
  readonly machine: Machine;
  readonly gate: Gate;
  readonly mcp: McpStage;
  readonly skills: SkillStage;
}

export interface Spawner {
  /** Undefined for the session's own agent. */
  readonly id: string | undefined;
  /** 0 for the session's own agent. */
  readonly depth: number;
  readonly isFork: boolean;
  readonly machine: Machine;
  readonly gate: Gate;
  model(): ModelChoice;
  system(): readonly string[];
  /** The tools in its requests. */
  tools(): readonly Tool[];
  conversation(): Conversation;
  /** Stops it and everything that works for it. */
  interrupt(): void;
}

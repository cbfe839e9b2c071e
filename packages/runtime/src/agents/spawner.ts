// An agent that can start others: the session's own agent, or a subagent.

import type { Conversation, ModelChoice, Tool } from "@keelson/engine";
import type { Gate } from "../gate/gate.ts";
import type { HookStage } from "../hooks/open-hooks.ts";
import type { Machine } from "../machine/machine.ts";
import type { McpStage } from "../mcp/open-servers.ts";
import type { ScheduleStage } from "../schedule/open-schedules.ts";
import type { SkillStage } from "../skills/open-skills.ts";
import type { TeamStage } from "../team/open-team.ts";
import type { Storage } from "../session/storage.ts";
import type { ChildBudget } from "./child/budget.ts";
import type { WorktreeStage } from "../worktrees/open-worktrees.ts";

/** How deep agents may start agents, and how many may work at the same time. */
const DEPTH = 1;
const CONCURRENT = 20;

/** The stages of a session that its subagents share. */
export interface AgentStages extends HookStage {
  readonly storage: Storage;
  readonly machine: Machine;
  readonly gate: Gate;
  readonly mcp: McpStage;
  readonly skills: SkillStage;
  readonly worktrees: Pick<WorktreeStage, "isolate">;
  /** Undefined if the session cannot have a team. */
  readonly team?: Pick<TeamStage, "send" | "others" | "teammates"> | undefined;
  readonly schedules: ScheduleStage;
}

export interface Spawner {
  /** Undefined for the session's own agent. */
  readonly id: string | undefined;
  /** 0 for the session's own agent. */
  readonly depth: number;
  readonly isFork: boolean;
  /** Tools that it refuses as a whole. Its own agents do not have them either. */
  readonly refuses: readonly string[];
  /** Its own budget and those of the agents it works for. */
  readonly budgets: readonly ChildBudget[];
  readonly machine: Machine;
  readonly gate: Gate;
  /** Without its budgets. */
  model(): ModelChoice;
  system(): readonly string[];
  /** The tools in its requests. */
  tools(): readonly Tool[];
  /** Those that it can call although its requests do not describe them. */
  deferredTools(): readonly Tool[];
  conversation(): Conversation;
  /** Stops it and everything that works for it. */
  interrupt(): void;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function deepestSpawn(env: Environment): number {
  return numberOf(env["CLAUDE_CODE_MAX_SUBAGENT_SPAWN_DEPTH"], 0) ?? DEPTH;
}

export function mostAgents(env: Environment): number {
  return numberOf(env["CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS"], 1) ?? CONCURRENT;
}

function numberOf(text: string | undefined, least: number): number | undefined {
  const number = Number(text?.trim() || Number.NaN);
  return Number.isSafeInteger(number) && number >= least ? number : undefined;
}

// Agent: gives a task to a subagent. The caller starts it; this describes the call and its result.

import { defineTool, boolean, object, oneOf, optional, string, ToolError, type Tool } from "@keelson/engine";
import type { Usage } from "@keelson/protocol";
import description from "./agent.md" with { type: "text" };

export interface AgentOrder {
  readonly description: string;
  readonly prompt: string;
  readonly subagent_type?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly run_in_background?: boolean;
  readonly isolation?: "worktree" | "remote";
  readonly name?: string;
  readonly team_name?: string;
  readonly mode?: string;
}

export type AgentOutput = FinishedAgent | LaunchedAgent | StartedTeammate;

/** How often it used tools of each kind, and how many lines it changed. */
export interface AgentToolStats {
  readonly readCount: number;
  readonly searchCount: number;
  readonly bashCount: number;
  readonly editFileCount: number;
  readonly linesAdded: number;
  readonly linesRemoved: number;
  readonly otherToolCount: number;
}

export interface FinishedAgent {
  readonly status: "completed";
  readonly prompt: string;
  readonly agentId: string;
  readonly agentType: string;
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  readonly resolvedModel: string;
  readonly totalDurationMs: number;
  readonly totalTokens: number;
  readonly totalToolUseCount: number;
  readonly toolStats: AgentToolStats;
  readonly usage: Usage;
  readonly worktreePath?: string;
  readonly worktreeBranch?: string;
}

export interface LaunchedAgent {
  readonly isAsync: true;
  readonly status: "async_launched";
  readonly agentId: string;
  readonly description: string;
  readonly prompt: string;
  readonly resolvedModel: string;
  readonly outputFile: string;
  readonly canReadOutputFile: boolean;
}

export interface StartedTeammate {
  readonly status: "teammate_spawned";
  readonly teammate_id: string;
  readonly name: string;
  readonly team_name: string;
}

/** A result, and what the model reads of it besides the answer. */
export interface AgentAnswer {
  readonly output: AgentOutput;
  /** It cannot be continued. */
  readonly oneShot?: boolean;
  readonly notes?: readonly string[];
}

export interface AgentKeeper {
  /** The type that the order means. Throws ToolError if there is none, or it may not be started. */
  typeOf(order: AgentOrder): string;
  /** Throws ToolError if it cannot be started, or fails. */
  start(order: AgentOrder, toolUseId: string, signal: AbortSignal): Promise<AgentAnswer>;
}

const fields = {
  description: string("The task in three to five words"),
  prompt: string("The task, with everything the agent needs to know"),
  subagent_type: optional(string("The type of agent, as listed; general-purpose if absent")),
  model: optional(string("A model to use instead of the agent's own: sonnet, opus, haiku, fable, or an id")),
  run_in_background: optional(boolean("Keep working; a notice tells you when the agent is done")),
  isolation: optional(oneOf(["worktree", "remote"], "worktree: the agent works in a copy of the repository")),
  effort: optional(string("How hard the agent thinks: low, medium, high or max")),
  name: optional(string("A name to address the agent by with SendMessage")),
};

/** Described once: every agent has its own instance. */
const schema = object(fields);

const withTeams = () =>
  object({
    ...fields,
    team_name: optional(string("The team that the new teammate joins")),
    mode: optional(string("The permission mode of the teammate")),
  });

export function agentTool(keeper: AgentKeeper, options: { readonly teams: boolean }): Tool<AgentOrder, AgentOutput> {
  const notes = new WeakMap<AgentOutput, AgentAnswer>();
  return defineTool<AgentOrder, AgentOutput>({
    name: "Agent",
    aliases: ["Task"],
    description,
    input: (options.teams ? withTeams() : schema) as Tool<AgentOrder>["input"],
    dropsUnknown: true,
    // Only people read it.
    repair: (input) =>
      input["description"] === undefined && typeof input["prompt"] === "string"
        ? { ...input, description: input["prompt"].trim().split(/\s+/).slice(0, 5).join(" ") }
        : input,
    kind: "think",
    describe: (input) => ({ title: input.text("description"), name: input.text("subagent_type") }),
    parallelSafe: true,

    check(order) {
      if (order.isolation === "remote") {
        throw new ToolError('Isolation "remote" is not available here. Use "worktree", or leave it out.');
      }
      keeper.typeOf(order);
    },

    access: (order) => ({ kind: "agent", agent: keeper.typeOf(order) }),

    async run(order, { toolUseId, signal }) {
      const answer = await keeper.start(order, toolUseId, signal);
      notes.set(answer.output, answer);
      return answer.output;
    },

    show: (output) => shown(output, notes.get(output)),
  });
}

function shown(output: AgentOutput, answer: AgentAnswer | undefined) {
  const text = (lines: readonly string[]) => ({ type: "text" as const, text: lines.join("\n") });
  if (output.status === "teammate_spawned") {
    const { name, team_name: team } = output;
    return `Teammate ${name} has joined the team ${team} and begins to work. Write to it with SendMessage (to: '${name}').`;
  }
  const { agentId } = output;
  if (output.status === "async_launched") {
    return [
      text([
        "Async agent launched successfully.",
        `agentId: ${agentId} (use SendMessage with to: '${agentId}' to tell it more)`,
        `output_file: ${output.outputFile}`,
        "It works in the background, and a notice tells you when it is done. Do not wait for it or do its work meanwhile; do other work, or end your turn. If you must look at its progress, read the end of the output file.",
      ]),
    ];
  }
  const { totalTokens, totalToolUseCount, totalDurationMs, worktreePath, worktreeBranch } = output;
  const changes = worktreePath
    ? [`Its changes are in ${worktreePath}${worktreeBranch ? ` on branch ${worktreeBranch}` : ""}.`]
    : [];
  const notes = [...changes, ...(answer?.notes ?? [])];
  if (answer?.oneShot) return [...output.content, ...(notes.length === 0 ? [] : [text(notes)])];
  return [
    ...output.content,
    text([
      ...notes,
      `agentId: ${agentId} (use SendMessage with to: '${agentId}' to continue this agent)`,
      `<usage>subagent_tokens: ${totalTokens}\ntool_uses: ${totalToolUseCount}\nduration_ms: ${totalDurationMs}</usage>`,
    ]),
  ];
}

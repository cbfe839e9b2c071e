// An agent hook: a run with a few tools that reports whether a condition holds. The session's gate and hooks
// apply to it; nothing of it is recorded in the transcript or shown to clients.

import {
  Conversation,
  run,
  structuredOutputTool,
  ToolError,
  type End,
  type ModelChoice,
  type Ports,
  type ToolContext,
} from "@keelson/engine";
import { createLedger } from "@keelson/host";
import { NOTHING_SAID, type AgentHook, type HookEvent, type HookRun } from "@keelson/protocol";
import system from "../agent.md" with { type: "text" };
import type { AgentPorts } from "../../session/agent-ports.ts";
import { conditionAnswer, ANSWER_SCHEMA, conditionPrompt, withoutThinking } from "./condition.ts";
import { runWithTimeout, timeoutReport, type HandlerLimit } from "./timeout.ts";

/** `fire` and `permit` must skip prompt and agent hooks, which would otherwise call each other forever. */
export type HookAgentPorts = AgentPorts & Pick<Ports, "fire">;

export interface AgentHookOptions extends HandlerLimit {
  ports(signal: AbortSignal): HookAgentPorts;
  /** The handler's model, or the small default. */
  readonly model: ModelChoice;
}

const MAX_TURNS = 50;
const MAX_INVALID_ANSWERS = 5;

/** `input` is the event as JSON. Never rejects. */
export async function runAgentHook(handler: AgentHook, input: string, options: AgentHookOptions): Promise<HookRun> {
  const { now } = options.ports(options.signal);
  const started = now();
  const end = (how: Omit<HookRun, "durationMs">): HookRun => ({ ...how, durationMs: now() - started });
  const content = conditionPrompt(handler.prompt, input, options.model);
  try {
    const result = await runWithTimeout(options, (signal) =>
      run(
        { type: "user", message: { role: "user", content }, parent_tool_use_id: null },
        "default",
        new Conversation(),
        narrowed(options, signal),
        { maxTurns: MAX_TURNS, structured: { schema: ANSWER_SCHEMA, maxRetries: MAX_INVALID_ANSWERS } },
      ),
    );
    return end(result.ended === "done" ? reportOf(result.value) : timeoutReport(result.ended, options));
  } catch (error) {
    const problem = `the agent failed: ${error instanceof Error ? error.message : String(error)}`;
    return end({ outcome: "error", stdout: "", stderr: "", problem });
  }
}

function reportOf({ reason, text, structured }: End): Omit<HookRun, "durationMs"> {
  const answer = conditionAnswer(structured);
  if (answer) return { outcome: "success", stdout: JSON.stringify(answer), stderr: "" };
  // Running out of turns is not reported; the reference drops such a hook silently.
  if (reason === "max_turns") return { outcome: "cancelled", stdout: "", stderr: "" };
  const said = reason === "completed" || text === "" ? "" : `: ${text}`;
  const problem = `the agent did not say whether the condition is met${said}`;
  return { outcome: "error", stdout: "", stderr: "", problem };
}

const TOOLS = new Set(["Bash", "Glob", "Grep", "Read"]);
// The start and end of the hook's own run are not session events. `permit` fires the events about permission.
const FORWARDED_EVENTS = new Set<HookEvent>(["PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch"]);

function narrowed({ model, ports: wide }: AgentHookOptions, outer: AbortSignal): Ports {
  // Stopping this agent must not stop the session.
  const stop = new AbortController();
  const signal = AbortSignal.any([outer, stop.signal]);
  const ports = wide(signal);
  const tools = [...ports.tools().filter(({ name }) => TOOLS.has(name)), structuredOutputTool(ANSWER_SCHEMA)];
  const seen = createLedger(); // the session's model has not seen what this agent reads
  return {
    ...ports,
    model: withoutThinking(model),
    tools: () => tools,
    system: [system.trim()],
    signal,
    interrupt: () => stop.abort(),
    partial: () => false,
    record: () => {},
    show: () => {},
    admitted: () => {},
    instructionsFor: () => [],
    steering: () => [],
    queue: undefined,
    fire: async (event, input) => (FORWARDED_EVENTS.has(event) ? ports.fire(event, input) : NOTHING_SAID),
    context: (call) => confined({ ...ports.context(call), signal, seen }),
  };
}

/** Keeps the session's working directory unchanged, forbids background commands, and shows no command as a task. */
function confined(context: ToolContext): ToolContext {
  const { root, directories, former, cwd } = context.workspace;
  return {
    ...context,
    workspace: { root, directories, former, cwd, move: () => false },
    shell: {
      run: (command, { task, ...options }) =>
        context.shell.run(command, { ...options, ...(task?.owner === undefined ? {} : { owner: task.owner }) }),
      background() {
        throw new ToolError("A hook cannot run commands in the background; run the command in the foreground.");
      },
    },
  };
}

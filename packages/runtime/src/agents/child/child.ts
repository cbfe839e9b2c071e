// The life of one subagent: its files, its row in the task table, its run, and the cleanup, however it ends.

import type { Conversation, End, Limits, ModelChoice, Tool } from "@keelson/engine";
import { createWorkspace, type TaskEnd, type TaskUsage } from "@keelson/host";
import type { AgentDefinition, ContentBlock, NewEntry, Usage } from "@keelson/protocol";
import type { AgentOwner } from "@keelson/store/agents";
import type { AgentToolStats } from "@keelson/tools";
import type { AgentServers } from "../../mcp/servers/agent-servers.ts";
import type { SkillOrder } from "../open-agents.ts";
import type { AgentStages, Spawner } from "../spawner.ts";
import { openChildFiles } from "./files.ts";
import { runChild } from "./run.ts";
import type { StepQueue } from "./step-queue.ts";

export interface ChildPlan {
  readonly id: string;
  readonly definition: AgentDefinition;
  /** A few words on the task, for people. */
  readonly description: string;
  /** How others address it, besides its id. */
  readonly name?: string;
  /** What it is asked now. */
  readonly prompt: string;
  /** What the model reads after the prompt, in the same message. */
  readonly attached?: readonly ContentBlock[];
  /** The call that started it, or makes it go on. */
  readonly toolUseId: string;
  /** The call that started it first. Clients and files know it by that one, also when another makes it go on. */
  readonly startedBy: string;
  readonly parent: Spawner;
  /** No one waits for it. */
  readonly background: boolean;
  /** Whether its definition may widen the mode of its parent. */
  readonly mayWiden: boolean;
  readonly model: ModelChoice;
  readonly system: readonly string[];
  readonly limits: Limits;
  readonly maySpawn: boolean;
  /** The folder it keeps between sessions. */
  readonly memory?: string | undefined;
  /** Where it works, if not where its parent does. */
  readonly worktree?: ChildWorktree;
  /** What was said before. Absent for an agent that begins empty. */
  readonly past?: { readonly conversation: Conversation; readonly leaf: string | null };
  /** Has the conversation and the tools of its parent. */
  readonly isFork?: true;
}

/** A copy of the repository for one agent. */
export interface ChildWorktree {
  /** What the model sees of paths in it. */
  readonly notice: string;
  readonly cwd: string;
  /** The folders that it is a copy of. */
  readonly copyOf: readonly string[];
  readonly branch?: string;
  /** Removes it if nothing in it would be lost. */
  finish(): Promise<{ readonly kept: boolean }>;
}

export interface ChildEnd {
  readonly end: End;
  readonly status: "completed" | "failed" | "killed";
  /** What it answered, or why it did not. */
  readonly text: string;
  /** What it said last before it failed or was stopped, if anything. */
  readonly unfinished?: string;
  /** Of the last reply. */
  readonly usage: Usage;
  readonly used: TaskUsage;
  readonly toolStats: AgentToolStats;
  /** Where its work is, if it is not in the parent's folder. */
  readonly kept?: { readonly path: string; readonly branch?: string };
}

export interface StartedChild {
  readonly id: string;
  /** Resolves with its end, or undefined when it was moved to the background. Rejects only for a bug. */
  readonly awaited: Promise<ChildEnd | undefined>;
  /** Empty if no one may need it. */
  outputPath(): string;
}

/** What a subagent gets from the stage that starts it. */
export interface ChildHost {
  /** The tools that know which agent calls them. */
  ownTools(agent: Spawner): readonly Tool[];
  /** How its skills with `context: fork` run. */
  runSkill(order: SkillOrder, agent: Spawner): Promise<{ readonly agentId: string; readonly result: string }>;
  /** A foreground agent stops with it. */
  readonly signal: AbortSignal;
  /** The process that runs it. */
  owner(): AgentOwner;
  /** Of all agents of the session. */
  readonly steps: StepQueue;
  /** Called when it is over. */
  ended(): void;
}

export function startChild(plan: ChildPlan, stages: AgentStages, host: ChildHost): StartedChild {
  const { storage, machine } = stages;
  const { id, parent } = plan;
  const stop = new AbortController();
  const abort = () => stop.abort();
  let inBackground = plan.background;
  if (!inBackground && host.signal.aborted) abort();
  if (!inBackground) host.signal.addEventListener("abort", abort, { once: true });
  const detach = () => host.signal.removeEventListener("abort", abort);

  const workspace = workspaceOf(plan, stages);
  const files = openChildFiles(plan, stages, {
    cwd: () => workspace.cwd,
    isHeard: () => inBackground,
    owner: host.owner,
    steps: host.steps,
  });
  const { meter } = files;
  const { promise: movedAway, resolve: moveAway } = Promise.withResolvers<undefined>();
  const task = machine.tasks.start(taskOf(plan, files.outputPath), abort, {
    toBackground: () => {
      inBackground = true;
      detach();
      task.backgrounded(files.openOutput());
      moveAway(undefined);
    },
  });
  const release = storage.inbox.hold();
  const waiting: NewEntry[] = [];
  let isWoken = false;
  machine.agentInboxes.set(id, {
    notify(entry, { wakes, taken }) {
      waiting.push(entry);
      isWoken ||= wakes;
      taken?.();
    },
  });

  let servers: AgentServers | undefined;
  const live = async (): Promise<ChildEnd> => {
    let ended: ChildEnd | undefined;
    let problem: unknown;
    try {
      const ran = await runChild(plan, stages, {
        ...host,
        workspace,
        signal: stop.signal,
        outbox: files.outbox,
        waiting,
        takeWaiting: () => {
          isWoken = false;
          return waiting.splice(0);
        },
        meter,
        working: () => task.progress(meter.usage()),
        counted: () => files.counted(),
        interrupt: () => (inBackground ? abort() : parent.interrupt()),
        openServers: async (definition) => (servers = await serversOf(definition, stages, stop.signal)),
        isDone: () => !isWoken && machine.agentInboxes.delete(id),
      });
      await servers?.close();
      await machine.tasks.stopOwnedBy(id);
      return (ended = await settle(ran, plan));
    } catch (error) {
      problem = error;
      throw error;
    } finally {
      machine.agentInboxes.delete(id);
      machine.agentRules.delete(id);
      try {
        if (!ended) await abandon();
      } finally {
        // Whatever failed: no one waits for an agent that is over.
        files.close(ended);
        task.end(ended ? taskEnd(ended) : brokenEnd(plan, problem));
        detach();
        host.ended();
        release();
      }
    }
  };
  const abandon = async () => {
    await servers?.close();
    await machine.tasks.stopOwnedBy(id);
    await plan.worktree?.finish();
  };
  const done = live();
  const awaited = Promise.race([done, movedAway]);
  // The task reports the failure of an agent that no one waits for.
  awaited.catch(() => undefined);
  return { id, awaited, outputPath: () => files.openOutput() };
}

async function serversOf(definition: AgentDefinition, { mcp, storage }: AgentStages, signal: AbortSignal) {
  if (definition.mcpServers.every((server) => typeof server === "string")) return undefined;
  const { ownServers } = await import("../definition/own-servers.ts");
  return mcp.openFor(ownServers(definition, storage.state.snapshot), signal);
}

/** The agent's work is over: what it left in its worktree stays, if there is anything. */
async function settle(ended: ChildEnd, { worktree }: ChildPlan): Promise<ChildEnd> {
  if (!worktree) return ended;
  const { kept } = await worktree.finish();
  return kept ? { ...ended, kept: { path: worktree.cwd, branch: worktree.branch } } : ended;
}

/** Its own current directory, in the folders of its parent or in its worktree alone. */
function workspaceOf({ parent, worktree }: ChildPlan, { storage }: AgentStages) {
  if (worktree) return createWorkspace(worktree.cwd);
  const { root, cwd } = parent.machine.tools.workspace;
  const isSessions = root === storage.folders.workspace.root;
  const workspace = createWorkspace(root, () => (isSessions ? storage.folders.workspace.directories.slice(1) : []));
  if (cwd !== root) workspace.move(cwd);
  return workspace;
}

function taskOf({ id, description, toolUseId, parent, definition, prompt, background }: ChildPlan, outputPath: string) {
  return {
    id,
    type: "local_agent",
    description,
    toolUseId,
    outputPath,
    ...(parent.id === undefined ? {} : { owner: parent.id }),
    agent: {
      type: definition.name,
      prompt,
      depth: parent.depth + 1,
      ...(parent.id === undefined ? {} : { parentTaskId: parent.id }),
    },
    inBackground: background,
  };
}

/** A bug in Keelson, or something that could not be tidied up. */
function brokenEnd({ description }: ChildPlan, problem: unknown): TaskEnd {
  const error = problem instanceof Error ? problem.message : String(problem);
  return { status: "failed", summary: `Agent "${description}" failed unexpectedly: ${error}`, error };
}

function taskEnd({ status, text, unfinished, used, kept }: ChildEnd): TaskEnd {
  const notes = [
    ...(unfinished === undefined ? [] : ["The result is what it said before it ended early. It is not finished."]),
    ...(kept ? [`Its changes are in ${kept.path}${kept.branch ? ` on branch ${kept.branch}` : ""}`] : []),
  ];
  const result = status === "completed" ? text : unfinished;
  return {
    status,
    usage: used,
    ...(result === undefined ? {} : { result }),
    ...(status === "failed" ? { error: text } : {}),
    ...(notes.length === 0 ? {} : { note: notes.join(" ") }),
  };
}

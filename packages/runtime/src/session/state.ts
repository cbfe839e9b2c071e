// The state of an open session that its stages share. Values are replaced, never mutated; only the conversation grows.

import type { Snapshot } from "@keelson/config";
import { Conversation, type GitState, type PromptStyle, type Tool } from "@keelson/engine";
import { gitBranch } from "@keelson/host";
import type { ResolvedModel } from "@keelson/model";
import type { PersistedWorktree, Usage } from "@keelson/protocol";
import type { TodoList } from "@keelson/tools";
import type { Goal } from "../goal/goal.ts";
import type { SessionInstructions } from "../instructions/instructions.ts";
import type { CodeWatch } from "../lsp/open-lsp.ts";
import type { Governing } from "../machine/governing.ts";
import type { MainAgent } from "../agents/definition/main-agent.ts";
import type { ToolOrigin } from "../mcp/servers/offered-tools.ts";
import { newTodoList, todosIn } from "../task-list/todos.ts";
import type { OpenOptions } from "./open-options.ts";
import type { SessionPlace } from "./place.ts";

export interface SessionState {
  snapshot: Snapshot;
  /** Where the session works: the folder it was opened in, or its worktree. */
  root: string;
  model: ResolvedModel;
  /** What runs outside the shield; undefined until the machine is open. */
  governing: Governing | undefined;
  /** Replaced when it is cleared. */
  conversation: Conversation;
  /** Undefined until they are loaded. */
  instructions: SessionInstructions | undefined;
  /** All tools, before rules and flags. */
  allTools: readonly Tool[];
  /** The built-in tools that flags and rules leave. */
  builtInTools: readonly Tool[];
  /** The agent that the session runs as, if it is one. */
  agent: MainAgent | undefined;
  /** All tools that could be in the next request (see `toolsOf`): built-in ones, then those of MCP servers. */
  tools: readonly Tool[];
  /** By a name in a call: the tool that the client wants for it. */
  toolAliases: ReadonlyMap<string, string>;
  /** Tools the model knows by name only; ToolSearch loads them. */
  deferredTools: readonly Tool[];
  /** The server of an MCP tool; undefined for all other tools. */
  originOf: (tool: string) => ToolOrigin | undefined;
  /** The betas that the tools in the next request need. */
  toolBetas: readonly string[];
  /** Looks at what tools write, if the session has language servers. */
  codeWatch: CodeWatch | undefined;
  /** The output style; undefined for the default. */
  style: PromptStyle | undefined;
  /**
   * The system prompt without MCP instructions. Changes only with the flags and the output style, to keep the provider's
   * cache valid.
   */
  ownSystem: readonly string[];
  /** The system prompt with MCP instructions. */
  system: readonly string[];
  /** Empty outside a git repository. */
  branch: string;
  /** As it was at the start; undefined if it is not known, yet or at all. */
  git: GitState | undefined;
  /** Settles when git has answered. */
  gitKnown: Promise<void> | undefined;
  /** What was done once: git was asked, the system prompt was used, and what it leaves out was sent as a message. */
  told: { readonly gitAsked: boolean; readonly git: boolean; readonly prompt: boolean; readonly situation: boolean };
  /** Of the front end that opened the session: whether somebody answers questions, and whether a person reads along. */
  readonly front: { readonly isAnswered: boolean; readonly isWatched: boolean };
  title: string | undefined;
  /** The name of the session's plan, if it has one. */
  planName: string | undefined;
  /** The settings files whose last change hooks blocked. */
  refused: Snapshot["sources"] | undefined;
  /** What TodoWrite wrote last. */
  todos: TodoList;
  /** The worktree that it entered. */
  worktree: PersistedWorktree | undefined;
  /** What the session works towards; undefined if no one set it. */
  goal: Goal | undefined;
  /** Usage of the latest reply; null before the first. */
  lastUsage: Usage | null;
}

/** The state of a session that has a model and nothing else yet. */
export function newState(
  {
    snapshot,
    session,
    answers,
    interactive = false,
  }: Pick<OpenOptions, "snapshot" | "session" | "answers" | "interactive">,
  { loaded }: SessionPlace,
  model: ResolvedModel,
): SessionState {
  return {
    snapshot,
    root: snapshot.cwd,
    model,
    governing: undefined,
    conversation: new Conversation(),
    instructions: undefined,
    agent: undefined,
    allTools: [],
    builtInTools: [],
    tools: [],
    toolAliases: new Map(),
    deferredTools: [],
    originOf: () => undefined,
    toolBetas: [],
    codeWatch: undefined,
    style: undefined,
    ownSystem: [],
    system: [],
    branch: gitBranch(snapshot.cwd),
    git: undefined,
    gitKnown: undefined,
    told: { gitAsked: false, git: false, prompt: false, situation: false },
    front: {
      isAnswered: answers.permissions || snapshot.flags.permissionPromptTool !== undefined,
      isWatched: interactive,
    },
    title: session.name ?? loaded?.title,
    planName: undefined,
    refused: undefined,
    todos: newTodoList(todosIn(loaded?.entries ?? [])),
    worktree: undefined,
    goal: undefined,
    lastUsage: null,
  };
}

/** The tools in the next request: those that the session's agent, if it runs as one, leaves. */
export const toolsOf = ({ tools, agent }: Pick<SessionState, "tools" | "agent">): readonly Tool[] =>
  agent === undefined ? tools : agent.chooseTools(tools);

/** The same for deferred tools. */
export const deferredOf = ({ deferredTools, agent }: SessionState): readonly Tool[] =>
  agent === undefined ? deferredTools : agent.chooseTools(deferredTools);

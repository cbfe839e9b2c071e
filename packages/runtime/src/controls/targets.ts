// What control requests may read or change in a session. Each handler picks what it needs.

import type { Snapshot } from "@keelson/config";
import type { ReadLedger, Search, Tool, Workspace } from "@keelson/engine";
import type { Tasks } from "@keelson/host";
import type { LanguageServerStatus } from "@keelson/host/lsp";
import type { ProviderMemory, ResolvedModel } from "@keelson/model";
import type {
  AgentDefinition,
  HookRegistration,
  ListedCommand,
  ModelMessage,
  Outbound,
  PersistedWorktree,
  PermissionMode,
  Signal,
  Skill,
  Usage,
} from "@keelson/protocol";
import type { OriginalFile, RewindResult } from "@keelson/store/checkpoints";
import type { StoredSessions } from "@keelson/store/stored-sessions";
import type { SessionsHere } from "../directory/sessions-here.ts";
import type { Cost } from "../model/cost.ts";
import type { Gate } from "../gate/gate.ts";
import type { Goal } from "../goal/goal.ts";
import type { RestoreOptions } from "../gate/restore.ts";
import type { RuleBook } from "../gate/rule-book.ts";
import type { MemoryScope } from "../instructions/add-memory.ts";
import type { MentionIndex } from "../mentions/file-index.ts";
import type { RewoundConversation } from "../conversation/rewind.ts";
import type { SessionStreams } from "../stream/open-streams.ts";
import type { SummarizedConversation, SummarizeOptions } from "../conversation/summarize.ts";
import type { InitializeOptions } from "./handlers/initialize.ts";
import type { McpTargets } from "./handlers/mcp.ts";

export interface ControlTargets {
  /** Changes when the conversation is cleared. */
  readonly sessionId: string;
  /** To every client. Returns a promise if one reads too slowly. */
  send(message: Outbound): void | Promise<void>;
  show(signal: Signal): void | Promise<void>;
  newId(): string;
  now(): number;
  readonly startedMs: number;

  snapshot(): Snapshot;
  /** Replaces the snapshot: rules, directories, hooks, tools, system prompt. */
  adopt(next: Snapshot): void;
  /** Runs ConfigChange hooks for files that changed; false if one refuses. */
  mayAdopt(next: Snapshot): Promise<boolean>;

  /** Applies settings that changed on disk, unless a hook refuses. */
  adoptChangedSettings(): Promise<void>;

  model(): ResolvedModel;
  /** Returns the resolved id. Rejects if the model is not available or a hook refuses. */
  setModel(name: string | undefined): Promise<string>;
  /** What the session knows of providers: keys that programs printed, what was told. */
  readonly providerMemory: ProviderMemory;
  /** Changes how the current model is called. */
  tuneModel(model: ResolvedModel): void;

  mode(): PermissionMode;
  /** The mode and the rules, and how to change them. Calls are judged elsewhere. */
  readonly permissions: Pick<RuleBook, "setMode" | "refusal" | "rules" | "mayRead"> & Pick<Gate, "warm" | "accept">;

  /** The name of the output style. */
  style(): string;
  /** Reads the output style again; the next run uses it. */
  reloadStyle(): void;
  tools(): readonly Tool[];
  system(): readonly string[];
  conversation(): readonly ModelMessage[];
  /** How many tokens a request has now, as the latest reply reported it; zero if none did. */
  knownTokens(): number;
  /** Where the conversation is kept, or will be once there is one; null if it is not kept. */
  transcriptPath(): string | null;
  /** The file that keeps the conversation, if one does. */
  transcript(): string | undefined;
  /** The conversation, as clients see it. Rejects if no message has the id `before`. */
  messages: SessionStreams["messages"];
  /** The instruction files in the conversation. */
  memoryFiles(): readonly { readonly path: string; readonly type: string; readonly text: string }[];
  /** Where the agent keeps notes for later sessions; undefined if it keeps none. */
  memoryDirectory(): string | undefined;
  /** Adds a note to an instruction file. Returns its path. */
  addMemory(text: string, scope: MemoryScope): Promise<string>;
  readonly cost: Cost;
  /** Usage of the latest reply; null before the first. */
  lastUsage(): Usage | null;

  readonly workspace: Workspace;
  readonly search: Search;
  /** The files that tools changed, as they were before that. */
  originals(): readonly OriginalFile[];
  /** The paths in the working directory, for suggestions. */
  fileIndex(): Promise<MentionIndex>;
  readonly seen: ReadLedger;
  readonly tasks: Tasks;
  /** `source` is a field of the hook input. */
  addDirectories(paths: readonly string[], source: "register_repo_root" | "slash_command"): void;

  /** False outside the working directories. */
  changeDirectory(path: string): boolean;

  /** All hooks, from settings files and from clients. */
  hooks(): readonly HookRegistration[];
  setClientHooks(client: string, registrations: readonly HookRegistration[]): void;
  /** The options of `initialize` that shape the session. */
  shapeSession?(options: InitializeOptions): void;
  /** Adds what a client brings. Returns the names of its servers that another server already has. */
  bring?(client: string, options: InitializeOptions): readonly string[];
  readonly mcp?: McpTargets;
  /** The language servers that were used. */
  languageServers?(): readonly LanguageServerStatus[];
  /** All slash commands. */
  commands(): readonly ListedCommand[];
  /** The skills among them. */
  skills(): readonly ListedCommand[];
  /** The skills that the model knows, and the text that listed them. */
  toldSkills(): { readonly skills: readonly Skill[]; readonly listing: string };
  /** The agents that can be started. */
  agents(): readonly AgentDefinition[];
  /** Reads skill and command files again. */
  reloadSkills(): void;

  /** The sessions on this machine. */
  storedSessions(): Promise<StoredSessions>;
  /** Those that are open in this process. */
  readonly directory?: SessionsHere | undefined;
  /** Queues a command of the user. The model reads its output. */
  queueShellCommand(command: string, ids: { readonly uuid: string; readonly toolUseId: string }): void;
  /** Whether the session still takes prompts. */
  takesPrompts(): boolean;
  /** Ids of the prompts in the queue. */
  queued(): readonly string[];
  /** Removes one prompt from the queue, or all of them. Returns the removed ids. */
  cancelQueued(uuid?: string): readonly string[];
  /** The worktree that the session entered. */
  worktree(): PersistedWorktree | undefined;
  /** What the session works towards. */
  goal(): Goal | undefined;
  setGoal(goal: Goal | undefined): void;
  isRunning(): boolean;
  /** Ends the run; prompts that wait still run. */
  interrupt(): void;
  /** Continues with a new session and an empty conversation. `prompt` is the id of the prompt that asked for it. */
  clear(prompt: string | undefined): Promise<void>;
  /** Takes the conversation back to before the prompt with this id. */
  rewindConversation(prompt: string): Promise<RewoundConversation>;
  /** Replaces what is before the prompt with this id, or from it on, with a summary. An interrupt ends it. */
  summarizeAtPrompt(prompt: string, options: SummarizeOptions): Promise<SummarizedConversation>;
  title(): string | undefined;
  rename(title: string): void;
  /** Absent if file checkpoints are off. */
  rewind?(prompt: string, options: RestoreOptions): Promise<RewindResult>;
}

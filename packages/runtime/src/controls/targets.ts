// All of a session that control requests may look at or change. The session passes it whole; each handler takes its part.

import type { Snapshot } from "@keelson/config";
import type { ReadLedger, Search, Tool, Workspace } from "@keelson/engine";
import type { Tasks } from "@keelson/host";
import type { ResolvedModel } from "@keelson/model";
import type { HookRegistration, ModelMessage, Outbound, PermissionMode, Signal, Usage } from "@keelson/protocol";
import type { RewindResult } from "@keelson/store";
import type { Cost } from "../model/cost.ts";
import type { Gate } from "../gate/gate.ts";
import type { RuleBook } from "../gate/rule-book.ts";
import type { ClientOptions } from "./handlers/initialize.ts";
import type { McpServers } from "./handlers/mcp.ts";

export interface ControlTargets {
  readonly sessionId: string;
  /** A promise means that somebody reads too slowly. */
  send(message: Outbound): void | Promise<void>;
  show(signal: Signal): void | Promise<void>;
  newId(): string;
  now(): number;
  readonly startedMs: number;

  snapshot(): Snapshot;
  /** Takes a snapshot over whole: rules, directories, hooks, tools, system prompt. */
  adopt(next: Snapshot): void;
  /** Hooks hear of files that changed meanwhile, and may refuse them. */
  mayAdopt(next: Snapshot): Promise<boolean>;

  model(): ResolvedModel;
  /** The id it resolved to. Rejects with a reason when it cannot be had; hooks may object. */
  setModel(name: string | undefined): Promise<string>;
  /** The same model, asked in another way. */
  tuneModel(model: ResolvedModel): void;

  mode(): PermissionMode;
  readonly gate: Pick<RuleBook, "setMode" | "rules" | "mayRead"> & Pick<Gate, "warm">;

  tools(): readonly Tool[];
  system(): readonly string[];
  conversation(): readonly ModelMessage[];
  /** Instruction files the model is shown. */
  memoryFiles(): readonly { readonly path: string; readonly type: string; readonly text: string }[];
  readonly cost: Cost;
  /** Of the newest reply; null before there is one. */
  lastUsage(): Usage | null;

  readonly workspace: Workspace;
  readonly search: Search;
  readonly seen: ReadLedger;
  readonly tasks: Tasks;
  addDirectories(paths: readonly string[]): void;

  /** All hooks there are, those of settings files and of clients. */
  hooks(): readonly HookRegistration[];
  setClientHooks(registrations: readonly HookRegistration[]): void;
  /** What a client said of itself; later subjects (agents, skills, plugins) find their part here. */
  setClient?(options: ClientOptions): void;
  /** Absent until there are MCP servers. */
  readonly mcp?: McpServers;

  /** Ids of prompts that wait for their turn. */
  queued(): readonly string[];
  /** Takes back a prompt that still waits, or all of them. The ids of those taken. */
  cancelQueued(uuid?: string): readonly string[];
  isRunning(): boolean;
  /** Ends the run; prompts that wait still run. */
  interrupt(): void;
  title(): string | undefined;
  rename(title: string): void;
  /** Undefined when file checkpoints are off. */
  rewind?(prompt: string, options: { readonly dryRun: boolean }): RewindResult;
}

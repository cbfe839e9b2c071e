// Everything a session is made of. Its parts are made one after another and find each other here; nobody outside this
// package ever holds it.

import type { Snapshot } from "@keelson/config";
import type { Conversation, Tool } from "@keelson/engine";
import type { ResolvedModel } from "@keelson/model";
import type { Usage } from "@keelson/protocol";
import type { TranscriptWriter } from "@keelson/store";
import type { Controls } from "../controls/controls.ts";
import type { Cost } from "../model/cost.ts";
import type { FileHistory } from "../machine/file-history.ts";
import type { Gate } from "../gate/gate.ts";
import type { Governing } from "../gate/governing.ts";
import type { SessionHooks } from "../hooks/session-hooks.ts";
import type { Inbox } from "../stream/inbox.ts";
import type { SessionInstructions } from "../instructions/instructions.ts";
import type { SdkServers } from "../mcp/sdk-servers.ts";
import type { OpenOptions } from "./open.ts";
import type { Outbox } from "../stream/outbox.ts";
import type { SessionPlace } from "./place.ts";
import type { PlanMode } from "./plan-mode.ts";
import type { LiveSession } from "./session.ts";
import type { SessionWorld } from "../machine/machine.ts";

/** What may be another one from run to run. Replaced whole, never changed inside. */
export interface Current {
  snapshot: Snapshot;
  model: ResolvedModel;
  tools: readonly Tool[];
  /** Our own system prompt; the same as long as the flags are, because the provider's cache depends on it. */
  ownSystem: readonly string[];
  /** With what MCP servers have to say. */
  system: readonly string[];
  /** Empty outside a git repository. */
  branch: string;
  title: string | undefined;
  /** Settings files as they were when hooks refused to take them over. */
  refused?: Snapshot["sources"];
  /** Of the newest reply; null before there is one. */
  lastUsage: Usage | null;
}

export interface Assembly {
  readonly options: OpenOptions;
  readonly place: SessionPlace;
  readonly current: Current;
  readonly transcript: TranscriptWriter;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly world: SessionWorld;
  readonly gate: Gate;
  readonly governing: Governing;
  readonly plan: PlanMode;
  readonly cost: Cost;
  readonly fileHistory: FileHistory | undefined;
  readonly mcp: SdkServers;
  readonly controls: Controls;
  readonly hooks: SessionHooks;
  readonly instructions: SessionInstructions;
  readonly conversation: Conversation;
  readonly session: LiveSession;
  /** The tools there are, before rules and flags. */
  readonly allTools: readonly Tool[];
  /** Puts something before the model at its next safe boundary. */
  notify(text: string): void;
  /** Takes a snapshot over whole. */
  adopt(next: Snapshot): void;
  newId(): string;
  now(): number;
}

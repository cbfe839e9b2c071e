// What can change while a session lives. Values are replaced whole, never changed inside.

import type { Snapshot } from "@keelson/config";
import type { Conversation, Tool } from "@keelson/engine";
import type { ResolvedModel } from "@keelson/model";
import type { Usage } from "@keelson/protocol";
import type { SessionInstructions } from "../instructions/instructions.ts";

export interface SessionState {
  snapshot: Snapshot;
  model: ResolvedModel;
  conversation: Conversation;
  /** Undefined until they have been read. */
  instructions: SessionInstructions | undefined;
  /** All tools there are, before rules and flags. */
  allTools: readonly Tool[];
  /** Those the model is offered. */
  tools: readonly Tool[];
  /** Our own system prompt. It stays the same as long as the flags do, because the provider's cache depends on it. */
  ownSystem: readonly string[];
  /** The system prompt including what MCP servers add. */
  system: readonly string[];
  /** Empty outside a git repository. */
  branch: string;
  title: string | undefined;
  /** The name of the session's plan; undefined before there is one. */
  planName: string | undefined;
  /** Settings files as they were when hooks refused to apply them. */
  refused: Snapshot["sources"] | undefined;
  /** Of the newest reply; null before there is one. */
  lastUsage: Usage | null;
}

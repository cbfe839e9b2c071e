// All that a front end is ever handed: something to send to, something to watch, and a way to close it.

import type { ControlCancelRequest, ControlRequest, ControlResponse } from "./control.ts";
import type { ModelMessage } from "./content.ts";
import type { Message } from "./message.ts";

/** A prompt as a front end sends it. */
export interface PromptMessage {
  readonly type: "user";
  readonly message: { readonly role: "user"; readonly content: ModelMessage["content"] };
  readonly parent_tool_use_id: string | null;
  readonly uuid?: string;
  readonly session_id?: string;
  /** False: add it to the conversation without asking the model. */
  readonly shouldQuery?: boolean;
  readonly isSynthetic?: boolean;
  readonly priority?: "now" | "next" | "later";
}

/** Variables for the processes that are started from now on. Nobody answers it. */
export interface EnvironmentUpdate {
  readonly type: "update_environment_variables";
  readonly variables: Readonly<Record<string, string>>;
}

export type Inbound = PromptMessage | ControlRequest | ControlResponse | ControlCancelRequest | EnvironmentUpdate;
export type Outbound = Message | ControlRequest | ControlResponse | ControlCancelRequest;

/**
 * Why a session is closed. `end_of_input`: finish what is queued, then end. `interrupt`: stop the run in
 * progress, leave a well-formed conversation. `terminate`: end now.
 */
export type EndReason = "end_of_input" | "interrupt" | "terminate";

export interface Session {
  readonly id: string;
  send(input: Inbound): void;
  /** Live messages from now on; with `replay`, what the transcript holds comes first. Any number of watchers. */
  attach(options?: { readonly replay?: boolean }): AsyncIterable<Outbound>;
  close(reason: EndReason): Promise<void>;
}

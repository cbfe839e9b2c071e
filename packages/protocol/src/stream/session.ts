// The interface between a session and its front ends.

import type { ByUser } from "../transcript/entry.ts";
import type { ControlCancelRequest, ControlRequest, ControlResponse } from "./control.ts";
import type { PermissionMode } from "../configuration/permission.ts";
import type { ModelMessage } from "../transcript/content.ts";
import type { Message } from "./message.ts";

/** What sent a prompt, if no front end did: a scheduled job, or a wake-up of the model. */
export interface PromptOrigin {
  readonly kind: "task-notification";
  readonly subkind: "cron" | "wakeup";
  /** The id of the job. */
  readonly taskId?: string;
  /** When it is due, in words. */
  readonly schedule?: string;
}

/** A prompt from a front end. */
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
  /** The text is complete: a slash or an `@` in it means nothing. */
  readonly client_composed?: boolean;
  /** Set by the session alone. */
  readonly origin?: PromptOrigin;
  /** As in the transcript: what of it the user said. Set by the session alone. */
  readonly byUser?: ByUser;
  /** The run has at most this permission mode. Set by the session alone. */
  readonly mostMode?: PermissionMode;
  /** A command that the user runs; the model gets its output. Set by the session alone. */
  readonly shell?: { readonly command: string; readonly toolUseId: string };
}

/** Variables for processes that start from now on. There is no reply. */
export interface EnvironmentUpdate {
  readonly type: "update_environment_variables";
  readonly variables: Readonly<Record<string, string>>;
}

export type Inbound = PromptMessage | ControlRequest | ControlResponse | ControlCancelRequest | EnvironmentUpdate;
export type Outbound = Message | ControlRequest | ControlResponse | ControlCancelRequest;

/**
 * Why a session is closed. `end_of_input`: run the queued prompts, then end. `interrupt`: stop the current run and leave
 * a valid conversation. `terminate`: end now.
 */
export type EndReason = "end_of_input" | "interrupt" | "terminate";

export interface Session {
  readonly id: string;
  send(input: Inbound): void;
  /** Messages from now on; with `replay`, those of the transcript come first. May be called any number of times. */
  attach(options?: { readonly replay?: boolean }): AsyncIterable<Outbound>;
  close(reason: EndReason): Promise<void>;
}

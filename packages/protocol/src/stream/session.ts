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

/** Where in a session's stream a client is: `EPOCH.N`. The epoch changes with the process that owns the session. */
export type StreamCursor = string;

/** What a client wants to see. Each client has its own. */
export interface ClientView {
  /** Every delta. */
  readonly partial?: boolean;
  /** Running hooks. */
  readonly hookEvents?: boolean;
  /** What subagents say and think, not only their calls. */
  readonly agentText?: boolean;
  /** Accepted prompts, echoed. */
  readonly replayPrompts?: boolean;
  /** Every transcript entry, for a client that keeps a copy. */
  readonly mirror?: boolean;
  /** What each call is called and touches, and with a permission question how an edit would change its file. */
  readonly toolMeta?: boolean;
  /** Messages of type `tool_running`: which calls run, and what they print. Clients of the reference do not know them. */
  readonly liveCalls?: boolean;
  /** Messages of type `stream`, about the stream itself. Clients of the reference do not know them. */
  readonly streamEvents?: boolean;
}

/** Files that a client has open, whose text may differ from what is on disk. It answers these questions about them. */
export interface OpenFilesOffer {
  /** `read_open_file`. */
  readonly read: boolean;
  /** `write_open_file`. */
  readonly write: boolean;
}

/** A driver may prompt, answer and change the session; a watcher only watches. */
export type ClientRole = "driver" | "watcher";

/** Which of the session's questions a client answers. */
export interface ClientAnswers {
  /** `can_use_tool`. */
  readonly permissions: boolean;
  /** Everything else: hooks, messages of MCP servers, elicitations, dialogs. */
  readonly requests: boolean;
}

export interface AttachOptions {
  /** How other clients see it, such as "terminal". */
  readonly name?: string;
  /** Default: driver. */
  readonly role?: ClientRole;
  readonly view?: ClientView;
  /** The messages of the transcript come first: all of them, or so many of the newest. They are read as they are taken. */
  readonly replay?: boolean | number;
  /**
   * What followed this cursor comes first. If that is no longer known: a `stream` message with subtype `reset`, the newest
   * messages of the transcript (`replay`, or 200), and a snapshot of the message in progress.
   */
  readonly after?: StreamCursor;
  /**
   * What a slow reader causes. `hold`, the default: the run waits. `drop`: its deltas are dropped, and replaced by a
   * snapshot when it reads again.
   */
  readonly whenSlow?: "hold" | "drop";
  /** Default for a driver: all of them. A watcher answers none. */
  readonly answers?: ClientAnswers;
  /** Of a driver. Nothing is offered if absent. */
  readonly openFiles?: OpenFilesOffer;
}

/** One client of a session. What it sends is answered to it alone. */
export interface SessionClient {
  readonly id: string;
  /** One reader only. A reader that stops early detaches the client. */
  readonly messages: AsyncIterable<Outbound>;
  /** The position behind the last message taken from `messages`. */
  readonly cursor: StreamCursor;
  send(input: Inbound): void;
  /** Ends this client, not the session. */
  detach(): void;
}

export interface Session {
  readonly id: string;
  /** May be called any number of times. */
  attach(options?: AttachOptions): SessionClient;
  close(reason: EndReason): Promise<void>;
}

// Messages about the stream itself, for clients that ask for them (`ClientView.streamEvents`). No client of the reference
// knows them.

import type { ControlRequest } from "./control.ts";
import type { ClientRole } from "./session.ts";
import type { StreamEvent } from "./stream-event.ts";

/** A client as others see it. */
export interface AttachedClient {
  readonly id: string;
  readonly name?: string;
  readonly role: ClientRole;
}

/** A prompt that waits for its turn, as all clients see it. */
export interface WaitingPrompt {
  /** If its client gave it one. */
  readonly uuid?: string;
  /** How it begins. Empty if it has no text. */
  readonly text: string;
  readonly priority?: "now" | "next" | "later";
  /** Who sent it; null if that client has gone, or the session sent it itself. */
  readonly by: AttachedClient | null;
}

interface StreamMessages {
  /** The first message. */
  hello: {
    readonly session_id: string;
    /** Cursors are `EPOCH.N`. */
    readonly epoch: string;
    /** The position of the newest message. What followed a cursor, up to here, comes next. */
    readonly head: number;
    readonly state: "idle" | "running" | "requires_action";
    /** The client that gets this message. */
    readonly client: string;
    readonly role: ClientRole;
    /** Those that are attached, this one too. */
    readonly watchers: readonly AttachedClient[];
    /** So many more are attached: only the newest of many are named. */
    readonly more_watchers?: number;
    /** Questions that no one has answered yet. Those that this client may answer follow as requests. */
    readonly pending: readonly ControlRequest[];
    /** Prompts that wait, if any do. */
    readonly queue?: readonly WaitingPrompt[];
    readonly capabilities: readonly string[];
    /** No program has the session open: what follows is what its transcript says, until someone opens it. */
    readonly stored?: true;
    /**
     * For a client that asked for a number of the newest messages, which follow: what `get_messages` takes for those before
     * them, null if there are none.
     */
    readonly before?: string | null;
  };
  /**
   * What followed the cursor is no longer known: forget what is shown. The newest messages of the transcript follow; `before`
   * as in `hello`.
   */
  reset: { readonly before: string | null };
  /**
   * The message in progress, as the events that lead to it, with one delta for each kind in a block. Blocks that were sent
   * whole are left out. It replaces what was streamed of the others; without events, no message is in progress.
   */
  snapshot: { readonly events: readonly StreamEvent[] };
  /** A client came or went. */
  presence: { readonly watchers: readonly AttachedClient[]; readonly more_watchers?: number };
  /** The prompts that wait have changed: all of them, in their order. */
  queue: { readonly prompts: readonly WaitingPrompt[] };
  /** A question that this client may not answer, and others may. */
  asked: { readonly question: ControlRequest };
  /** A question was settled; `by` is null if no client answered it, but a hook, or if it was withdrawn. */
  answered: { readonly request_id: string; readonly by: AttachedClient | null };
}

type StreamSubtype = keyof StreamMessages;

export type StreamMessage<Subtype extends StreamSubtype = StreamSubtype> = {
  [Each in Subtype]: { readonly type: "stream"; readonly subtype: Each } & StreamMessages[Each];
}[Subtype];

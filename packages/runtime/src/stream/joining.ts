// What a client gets first, if it is not the only one or asks for more than messages from now on: a greeting, what
// followed its cursor, the transcript, the message in progress, the open questions. At the end of a pipe nobody needs it.

import type {
  AttachedClient,
  AttachOptions,
  ControlRequest,
  Entry,
  Inbound,
  Outbound,
  StreamMessage,
} from "@keelson/protocol";
import {
  beginning,
  FIRST_CLIENT,
  type StreamBeginning,
  type StreamClient,
  type Clients,
  type QueuedMessage,
} from "./clients.ts";
import type { Outbox } from "./outbox.ts";

export interface JoinedSession {
  readonly clients: Clients;
  sessionId(): string;
  state(): "idle" | "running" | "requires_action";
  /** All questions that no one has answered. */
  readonly questions: readonly ControlRequest[];
  /** Those that this client may answer. */
  questionsFor(client: StreamClient): readonly ControlRequest[];
  /** The messages of the whole transcript. */
  replay(): Iterable<Outbound>;
  /** The entries that were copied from another session, for a client that mirrors them all; undefined if none were. */
  forked(): { readonly path: string; readonly entries: readonly Entry[] } | undefined;
}

/** Why a watcher is refused. */
export const WATCHES_ONLY = "this client only watches the session; attach as a driver to prompt, answer or change it";

const CAPABILITIES = ["interrupt_receipt_v1", "interrupt_cancel_queued_v1", "stream_cursor_v1", "stream_snapshot_v1"];

export function join(
  client: StreamClient,
  start: number,
  { replay, after }: Pick<AttachOptions, "replay" | "after">,
  session: JoinedSession,
): StreamBeginning {
  const { clients } = session;
  const { items, position } =
    after !== undefined
      ? follow(after, client, clients)
      : beginning(
          [...copied(client, session), ...(replay ? [...session.replay(), ...snapshot(client, clients)] : [])],
          start,
        );
  // The first client gets them among the messages that came before it.
  const questions = client.id === FIRST_CLIENT ? [] : session.questionsFor(client);
  const greeting = client.view.streamEvents === true ? [hello(client, session)] : [];
  return { items: [...greeting.map(bare), ...items, ...questions.map(bare)], position };
}

/** A client that only watches sent something that no reply belongs to. */
export function refuse(input: Inbound, client: StreamClient, outbox: Outbox): void {
  const what = input.type === "user" ? "The prompt was not accepted" : "The message was not accepted";
  const content = `${what}: ${WATCHES_ONLY}`;
  void client.tell(outbox.stamped({ type: "system", subtype: "informational", content, level: "warning" }));
  if (input.type === "user" && input.uuid !== undefined) void client.tell(outbox.lifecycleOf(input.uuid, "cancelled"));
}

/** What a client gets whose cursor is too old. Questions that it has got stay open. */
export function afresh(client: StreamClient, clients: Clients): StreamBeginning {
  const reset: StreamMessage = { type: "stream", subtype: "reset" };
  const marks = client.view.streamEvents === true ? [reset] : [];
  return beginning([...marks, ...clients.newest(), ...snapshot(client, clients)], clients.head);
}

/** The message in progress, for a client that draws deltas. */
export function snapshot({ view }: StreamClient, clients: Clients): readonly Outbound[] {
  if (view.partial !== true) return [];
  const { half } = clients;
  if (view.streamEvents !== true) return half?.messages(() => clients.newId()) ?? [];
  return [{ type: "stream", subtype: "snapshot", events: half?.events() ?? [] }];
}

/** Tells everyone who wants to know who is attached. */
export function tellPresence(clients: Clients, except?: StreamClient): void {
  const watchers = [...clients.all].map(describeClient);
  const message: StreamMessage = { type: "stream", subtype: "presence", watchers };
  clients.tell(message, (client) => client.view.streamEvents === true && client !== except);
}

export function describeClient({ id, name, role }: StreamClient): AttachedClient {
  return { id, ...(name === undefined ? {} : { name }), role };
}

function follow(cursor: string, client: StreamClient, clients: Clients): StreamBeginning {
  const { ring, epoch } = clients;
  const [from, number = ""] = cursor.split(".");
  const position = /^\d+$/.test(number) ? Number(number) : -1;
  if (from !== epoch || !ring.has(position)) return afresh(client, clients);
  return { items: ring.after(position, client), position };
}

function copied({ view }: StreamClient, session: JoinedSession): readonly Outbound[] {
  const forked = view.mirror === true ? session.forked() : undefined;
  return forked ? [{ type: "transcript_mirror", filePath: forked.path, entries: forked.entries }] : [];
}

function hello(client: StreamClient, { clients, ...session }: JoinedSession): StreamMessage {
  return {
    type: "stream",
    subtype: "hello",
    session_id: session.sessionId(),
    epoch: clients.epoch,
    head: clients.head,
    state: session.state(),
    client: client.id,
    role: client.role,
    watchers: [...[...clients.all].map(describeClient), describeClient(client)],
    pending: session.questions,
    capabilities: CAPABILITIES,
  };
}

const bare = (message: Outbound): QueuedMessage => ({ message });

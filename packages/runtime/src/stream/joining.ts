// What a client gets first, if it asks for more than messages from now on: a greeting, what followed its cursor, the
// message in progress, and the questions that are open. Nobody needs it at the end of a pipe.

import type { AttachedClient, AttachOptions, ControlRequest, Outbound, StreamMessage } from "@keelson/protocol";
import { beginning, FIRST_CLIENT, type Beginning, type Client, type Clients, type Queued } from "./clients.ts";

export interface JoinedSession {
  readonly clients: Clients;
  sessionId(): string;
  state(): "idle" | "running" | "requires_action";
  /** All questions that no one has answered. */
  readonly questions: readonly ControlRequest[];
  /** Those that this client may answer. */
  questionsFor(client: Client): readonly ControlRequest[];
  /** The messages of the whole transcript. */
  replay(): Iterable<Outbound>;
}

const CAPABILITIES = ["interrupt_receipt_v1", "interrupt_cancel_queued_v1", "stream_cursor_v1", "stream_snapshot_v1"];

export function join(
  client: Client,
  start: number,
  { replay, after }: Pick<AttachOptions, "replay" | "after">,
  session: JoinedSession,
): Beginning {
  const { clients } = session;
  const { items, position } =
    after !== undefined
      ? follow(after, client, clients)
      : beginning(replay ? [...session.replay(), ...snapshot(client, clients)] : [], start);
  // The first client gets them among the messages that came before it.
  const questions = client.id === FIRST_CLIENT ? [] : session.questionsFor(client);
  const greeting = client.view.streamEvents === true ? [hello(client, session)] : [];
  return { items: [...greeting.map(bare), ...items, ...questions.map(bare)], position };
}

/** What a client gets whose cursor is too old. Questions that it has got stay open. */
export function afresh(client: Client, clients: Clients): Beginning {
  const reset: StreamMessage = { type: "stream", subtype: "reset" };
  const marks = client.view.streamEvents === true ? [reset] : [];
  return beginning([...marks, ...clients.newest(), ...snapshot(client, clients)], clients.head);
}

/** The message in progress, for a client that draws deltas. */
export function snapshot({ view }: Client, clients: Clients): readonly Outbound[] {
  if (view.partial !== true) return [];
  const { half } = clients;
  if (view.streamEvents !== true) return half?.messages(() => clients.newId()) ?? [];
  return [{ type: "stream", subtype: "snapshot", events: half?.events() ?? [] }];
}

/** Tells everyone who wants to know who is attached. */
export function tellPresence(clients: Clients, except?: Client): void {
  const watchers = [...clients.all].map(describe);
  const message: StreamMessage = { type: "stream", subtype: "presence", watchers };
  clients.tell(message, (client) => client.view.streamEvents === true && client !== except);
}

export function describe({ id, name, role }: Client): AttachedClient {
  return { id, ...(name === undefined ? {} : { name }), role };
}

function follow(cursor: string, client: Client, clients: Clients): Beginning {
  const { ring, epoch } = clients;
  const [from, number = ""] = cursor.split(".");
  const position = /^\d+$/.test(number) ? Number(number) : -1;
  if (from !== epoch || !ring.has(position)) return afresh(client, clients);
  return { items: ring.after(position, client), position };
}

function hello(client: Client, { clients, ...session }: JoinedSession): StreamMessage {
  return {
    type: "stream",
    subtype: "hello",
    session_id: session.sessionId(),
    epoch: clients.epoch,
    head: clients.head,
    state: session.state(),
    client: client.id,
    role: client.role,
    watchers: [...[...clients.all].map(describe), describe(client)],
    pending: session.questions,
    capabilities: CAPABILITIES,
  };
}

const bare = (message: Outbound): Queued => ({ message });

// What a client gets first, if it is not the only one or asks for more than messages from now on: a greeting, what
// followed its cursor, the transcript, the message in progress, the calls that run, the open questions. At the end of a
// pipe nobody needs it.

import {
  textOf,
  type AttachOptions,
  type ControlRequest,
  type Entry,
  type Inbound,
  type Outbound,
  type WaitingPrompt,
  type StreamMessage,
} from "@keelson/protocol";
import { describeClient, FIRST_CLIENT, type StreamClient, type Clients, type QueuedMessage } from "./clients.ts";
import type { QueueParts } from "./enqueue.ts";
import type { Inbox } from "./inbox.ts";
import type { Outbox } from "./outbox.ts";

export interface JoinedSession {
  readonly clients: Clients;
  readonly inbox: Pick<Inbox, "queued" | "senderOf">;
  sessionId(): string;
  state(): "idle" | "running" | "requires_action";
  /** All questions that no one has answered. */
  readonly questions: readonly ControlRequest[];
  /** Those that this client may answer. */
  questionsFor(client: StreamClient): readonly ControlRequest[];
  /** Which calls run, and what they have printed. */
  readonly liveCalls: { readonly made?: { readonly running: readonly Outbound[] } | undefined };
  /** The entries that were copied from another session, for a client that mirrors them all; undefined if none were. */
  forked(): { readonly path: string; readonly entries: readonly Entry[] } | undefined;
}

export interface LateMessage {
  readonly message: Outbound;
  readonly isLast: boolean;
}

/** Messages that are read when they are taken. */
export interface LateMessages {
  readonly late: AsyncGenerator<LateMessage>;
  /** The position behind the last of them. */
  readonly number?: number;
}

export type QueuedItem = QueuedMessage | LateMessages;

/** What a client gets before live messages, and the position before it; -1 if it may not continue from there. */
export interface StreamBeginning {
  readonly items: readonly QueuedItem[];
  readonly position: number;
}

/** Opens the conversation as it was at one moment. `before`: what `get_messages` takes for older messages. */
export type OpenPast = () => Promise<{ readonly before: string | null; readonly messages: AsyncIterable<Outbound> }>;

/** Why a watcher is refused. */
export const WATCHES_ONLY = "this client only watches the session; attach as a driver to prompt, answer or change it";

const CAPABILITIES = [
  "interrupt_receipt_v1",
  "interrupt_cancel_queued_v1",
  "stream_cursor_v1",
  "stream_snapshot_v1",
  "stream_past_v1",
];

export function join(
  client: StreamClient,
  start: number,
  { replay, after }: Pick<AttachOptions, "replay" | "after">,
  session: JoinedSession,
): StreamBeginning {
  const { clients } = session;
  const greeting = client.view.streamEvents === true ? hello(client, session) : undefined;
  // It also says where older messages are, which is known only after the transcript was scanned.
  const isLate = typeof replay === "number" && replay > 0 && after === undefined;
  const greet = greeting && isLate ? (before: string | null): StreamMessage => ({ ...greeting, before }) : undefined;
  const newest = typeof replay === "number" ? replay : "all";
  const { items, position } =
    after !== undefined
      ? follow(after, client, clients, typeof replay === "number" ? replay : NEWEST)
      : beginning(
          [
            ...(replay ? said(clients.saidSoFar(newest), greet) : []),
            ...copied(client, session).map(bare),
            ...(replay ? snapshot(client, clients).map(bare) : []),
          ],
          start,
        );
  // The first client gets them among the messages that came before it.
  const questions = client.id === FIRST_CLIENT ? [] : session.questionsFor(client);
  const live = client.view.liveCalls === true ? (session.liveCalls.made?.running ?? []) : [];
  const first = greeting && !greet ? [greeting] : [];
  return { items: [...first.map(bare), ...items, ...[...live, ...questions].map(bare)], position };
}

/** Messages without a position, such as those of the transcript. A client that leaves among them cannot continue there. */
export function beginning(items: readonly QueuedItem[], position: number): StreamBeginning {
  const last = items.at(-1);
  if (last === undefined) return { items, position };
  return { items: [...items.slice(0, -1), { ...last, number: position }], position: -1 };
}

/** The next of messages that are read late. `number` is behind the last. */
export async function takeLate({ late, number }: LateMessages): Promise<QueuedMessage | undefined> {
  const { done, value } = await late.next();
  if (done) return undefined;
  return value.isLast && number !== undefined ? { message: value.message, number } : { message: value.message };
}

/** What is not read any more. */
export function closeLate(items: readonly QueuedItem[]): void {
  for (const item of items) if ("late" in item) void item.late.return(undefined);
}

/** A client sent something that it may not send, and that no reply belongs to. */
export function refuse(input: Inbound, client: StreamClient, outbox: Outbox, why = WATCHES_ONLY): void {
  const what = input.type === "user" ? "The prompt was not accepted" : "The message was not accepted";
  const content = `${what}: ${why}`;
  void client.tell(outbox.stamped({ type: "system", subtype: "informational", content, level: "warning" }));
  if (input.type === "user" && input.uuid !== undefined) void client.tell(outbox.lifecycleOf(input.uuid, "cancelled"));
}

/** Nothing slows a browser down, or another program, so what it may leave in the queue has an end. */
const MOST_WAITING = 100;

export function refusesMore(
  input: Inbound,
  client: StreamClient,
  { inbox, outbox }: Pick<QueueParts, "inbox" | "outbox">,
) {
  const isFull = inbox.waiting >= MOST_WAITING;
  if (isFull) refuse(input, client, outbox, `${MOST_WAITING} prompts wait already; send it again when some have run`);
  return isFull;
}

/** Of the newest messages, as many as a client that starts anew gets; it asks for older ones. */
const NEWEST = 200;

/** What a client gets whose cursor is too old. Questions that it has got stay open. */
export function afresh(client: StreamClient, clients: Clients, most = NEWEST): StreamBeginning {
  const reset = (before: string | null): StreamMessage => ({ type: "stream", subtype: "reset", before });
  const mark = client.view.streamEvents === true ? reset : undefined;
  return beginning([...said(clients.saidSoFar(most), mark), ...snapshot(client, clients).map(bare)], clients.head);
}

type Mark = (before: string | null) => StreamMessage;

/** What the transcript has, behind a mark. */
function said(past: OpenPast | undefined, mark: Mark | undefined): readonly QueuedItem[] {
  if (past) return [{ late: readLate(past, mark) }];
  return mark ? [bare(mark(null))] : [];
}

async function* readLate(past: OpenPast, mark: Mark | undefined): AsyncGenerator<LateMessage> {
  const { before, messages } = await past();
  let last: Outbound | undefined = mark?.(before);
  for await (const message of messages) {
    if (last) yield { message: last, isLast: false };
    last = message;
  }
  if (last) yield { message: last, isLast: true };
}

/** The message in progress, for a client that draws deltas. */
export function snapshot({ view }: StreamClient, clients: Clients): readonly Outbound[] {
  if (view.partial !== true) return [];
  const { half } = clients;
  if (view.streamEvents !== true) return half?.messages(() => clients.newId()) ?? [];
  return [{ type: "stream", subtype: "snapshot", events: half?.events() ?? [] }];
}

/** Tells everyone who wants to know who is attached. In a crowd not of each one who comes or goes. */
export function tellPresence(clients: Clients, except?: StreamClient): void {
  if (clients.count <= CROWD) return tellNow(clients, except);
  if (pending.has(clients)) return;
  pending.add(clients);
  const tell = () => {
    pending.delete(clients);
    tellNow(clients);
  };
  // What is told grows with the crowd: the larger, the less often, or a slow machine would do nothing else.
  setTimeout(tell, (CROWD_MS * clients.count) / CROWD).unref();
}

/** From so many clients on. Of those that are attached, as many are named. */
const CROWD = 50;
/** For a crowd of that size. */
const CROWD_MS = 250;
const pending = new WeakSet<Clients>();

function tellNow(clients: Clients, except?: StreamClient): void {
  const message: StreamMessage = { type: "stream", subtype: "presence", ...named([...clients.all]) };
  clients.tell(message, (client) => client.view.streamEvents === true && client !== except);
}

/** Tells everyone who wants to know which prompts wait, once for all that changes at the same moment. */
export function tellQueue(clients: Clients, inbox: Pick<Inbox, "queued" | "senderOf">): void {
  const { isDue = false, last = "[]" } = toldQueues.get(clients) ?? {};
  if (isDue) return;
  toldQueues.set(clients, { isDue: true, last });
  setImmediate(() => {
    const prompts = queueOf(inbox, clients);
    const now = JSON.stringify(prompts);
    toldQueues.set(clients, { isDue: false, last: now });
    const message: StreamMessage = { type: "stream", subtype: "queue", prompts };
    if (now !== last) clients.tell(message, (client) => client.view.streamEvents === true);
  });
}

const toldQueues = new WeakMap<Clients, { readonly isDue: boolean; readonly last: string }>();

function queueOf(inbox: Pick<Inbox, "queued" | "senderOf">, clients: Clients): readonly WaitingPrompt[] {
  const all = [...clients.all];
  return inbox.queued.slice(0, MOST_WAITING).map((prompt) => {
    const { uuid, priority, message } = prompt;
    const sender = inbox.senderOf(prompt);
    const by = all.find(({ id }) => id === sender);
    return {
      ...(uuid === undefined ? {} : { uuid }),
      text: textOf(message.content).slice(0, MOST_SHOWN),
      ...(priority === undefined ? {} : { priority }),
      by: by ? describeClient(by) : null,
    };
  });
}

/** Of a prompt, in characters. */
const MOST_SHOWN = 300;

function named(all: readonly StreamClient[]): Pick<StreamMessage<"presence">, "watchers" | "more_watchers"> {
  const watchers = all.slice(-CROWD).map(describeClient);
  return all.length > CROWD ? { watchers, more_watchers: all.length - CROWD } : { watchers };
}

function follow(cursor: string, client: StreamClient, clients: Clients, most: number): StreamBeginning {
  const { ring, epoch } = clients;
  const [from, number = ""] = cursor.split(".");
  const position = /^\d+$/.test(number) ? Number(number) : -1;
  if (from !== epoch || !ring.has(position)) return afresh(client, clients, most);
  return { items: ring.after(position, client), position };
}

function copied({ view }: StreamClient, session: JoinedSession): readonly Outbound[] {
  const forked = view.mirror === true ? session.forked() : undefined;
  return forked ? [{ type: "transcript_mirror", filePath: forked.path, entries: forked.entries }] : [];
}

function hello(client: StreamClient, { clients, inbox, ...session }: JoinedSession): StreamMessage<"hello"> {
  const queue = queueOf(inbox, clients);
  return {
    type: "stream",
    subtype: "hello",
    session_id: session.sessionId(),
    epoch: clients.epoch,
    head: clients.head,
    state: session.state(),
    client: client.id,
    role: client.role,
    ...named([...clients.all, client]),
    pending: session.questions,
    ...(queue.length === 0 ? {} : { queue }),
    capabilities: CAPABILITIES,
  };
}

const bare = (message: Outbound): QueuedMessage => ({ message });

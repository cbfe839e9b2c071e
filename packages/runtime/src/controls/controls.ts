// Control requests from clients. Each one gets exactly one reply, which goes to its client alone, in any order; a request
// that the client cancels gets none. Requests to clients are in client-requests.ts.

import {
  controlError,
  controlSuccess,
  controlBody,
  type ControlRequest,
  type ControlSubtype,
  type FieldsOf,
  type ReplyTo,
  type UncheckedRequest,
} from "@keelson/protocol";
import type { MadeLate } from "../made-late.ts";
import { WATCHES_ONLY } from "../stream/joining.ts";
import type { StreamClient } from "../stream/clients.ts";
import type { ClientRequests } from "./client-requests.ts";
import { failed, unsupported, type ControlContext, type ControlReply, type ControlHandler } from "./reply.ts";
import type * as TableModule from "./table.ts";
import type { ControlRow } from "./table.ts";
import type { ControlTargets } from "./targets.ts";

/** How long a session that has ended waits for replies in progress. */
const LAST_WAIT_MS = 5_000;

/** What a client has asked so far. Two clients may use the same ids. */
interface Asker {
  readonly client: StreamClient;
  readonly cancels: Map<string, AbortController>;
  readonly asked: Set<string>;
  /** It does not read its replies. */
  behind: Promise<void> | undefined;
  /** While `initialize` is being answered: nothing that came after it is answered before it. */
  initializing: Promise<void> | undefined;
}

export class Controls {
  readonly #makeTargets: () => ControlTargets;
  #targets: ControlTargets | undefined;
  readonly #requests: MadeLate<ClientRequests>;
  readonly #working = new Set<Promise<void>>();
  readonly #askers = new Map<StreamClient, Asker>();
  readonly #end: () => void;
  #lastChange: Promise<void> | undefined;

  /** The targets are made with the first request. `end` is called for `end_session`. */
  constructor(targets: () => ControlTargets, requests: MadeLate<ClientRequests>, end: () => void) {
    this.#end = end;
    this.#makeTargets = targets;
    this.#requests = requests;
  }

  get targets(): ControlTargets {
    return (this.#targets ??= this.#makeTargets());
  }

  handle({ request_id: id, request }: ControlRequest, client: StreamClient): void {
    // It may have left while its request waited for the start of the session.
    if (client.isDetached) return;
    const cancel = new AbortController();
    const row = controlRow(request.subtype);
    const asker = this.#askerOf(client);
    const reply = this.#reply(row, requestOf(client, row, request), { id, signal: cancel.signal, asker });
    if (!(reply instanceof Promise)) return this.#answer(id, reply, asker);
    asker.cancels.set(id, cancel);
    const work = reply.then((ready) => {
      if (asker.cancels.get(id) === cancel) asker.cancels.delete(id);
      if (!cancel.signal.aborted) this.#answer(id, ready, asker);
    });
    this.#working.add(work);
    void work.finally(() => this.#working.delete(work));
    if (isChange(row)) this.#lastChange = work;
    if (request.subtype !== "initialize") return;
    const over: Promise<void> = work.finally(() => {
      if (asker.initializing === over) asker.initializing = undefined;
    });
    asker.initializing = over;
  }

  /** Performs a request of the session itself, such as a typed command, in the same way. Rejects if it fails. */
  async perform<Subtype extends ControlSubtype>(
    subtype: Subtype,
    fields: FieldsOf<Subtype> | undefined,
    signal: AbortSignal,
  ): Promise<ReplyTo<Subtype>> {
    const request = controlBody(subtype, fields);
    const row = controlRow(request.subtype);
    const work = Promise.resolve(this.#reply(row, request, { id: "", signal }));
    if (isChange(row)) this.#lastChange = work.then(() => undefined);
    const reply = await work;
    if (reply.ok) return reply.payload;
    // The name of the request in front is for clients.
    throw new Error(reply.error.replace(`${request.subtype}: `, ""));
  }

  /** The client no longer wants a reply. Unknown and finished requests, and those of others, are ignored. */
  cancel(id: string, client: StreamClient): void {
    this.#askers.get(client)?.cancels.get(id)?.abort();
  }

  /** The client is gone: what it asked for and has not begun is not done, and it gets no replies. */
  left(client: StreamClient): void {
    for (const cancel of this.#askers.get(client)?.cancels.values() ?? []) cancel.abort();
    this.#askers.delete(client);
  }

  /** Resolves when all changes requested so far are done. */
  async changed(): Promise<void> {
    await this.#lastChange;
  }

  /** Clients do not wait for our replies any more. */
  close(): void {
    for (const { cancels } of this.#askers.values()) for (const cancel of cancels.values()) cancel.abort();
  }

  /** Waits for replies in progress; those that take too long become errors. */
  async finish(): Promise<void> {
    const open = () =>
      [...this.#askers.values()].flatMap((asker) => [...asker.cancels].map(([id, cancel]) => ({ asker, id, cancel })));
    if (open().every(({ cancel }) => cancel.signal.aborted)) return;
    const { promise: enough, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, LAST_WAIT_MS);
    await Promise.race([Promise.all(this.#working), enough]);
    clearTimeout(timer);
    for (const { asker, id, cancel } of open()) {
      if (cancel.signal.aborted) continue;
      cancel.abort();
      this.#answer(id, { ok: false, error: "The session ended before this request was done" }, asker);
    }
  }

  #reply(
    row: ControlRow | undefined,
    request: UncheckedRequest,
    asked: Asked,
  ): ControlReply<any> | Promise<ControlReply<any>> {
    const { asker } = asked;
    const first = asker?.initializing;
    const refusal = asker && refusalFor(asker.client, row, request.subtype);
    if (row === undefined || refusal || "now" in row) {
      const known = refusal ?? (row === undefined ? unsupported(request.subtype) : undefined);
      const answer = () => known ?? this.#run((row as ControlRow & { now: ControlHandler<any> }).now, request, asked);
      return first ? first.then(answer) : answer();
    }
    return attempt(async () => {
      const before = isChange(row) ? this.#lastChange : first;
      const handler = await row.later();
      await before;
      // A client that does not read its replies waits for the next one.
      if (asker?.behind) await asker.behind;
      return this.#run(handler, request, asked);
    });
  }

  #run(
    handler: ControlHandler<any>,
    request: UncheckedRequest,
    { id, signal, asker }: Asked,
  ): ControlReply<any> | Promise<ControlReply<any>> {
    const client = asker?.client;
    // What it brings would stay: it has left already.
    if (client?.isDetached) return failed(`${request.subtype}: the client has left`);
    const again = asker?.asked.has(request.subtype) === true;
    asker?.asked.add(request.subtype);
    const context: ControlContext = {
      id,
      signal,
      client: client?.id ?? "",
      pending: client ? this.#requests.get().questionsFor(client) : [],
      again,
      shapesSession: client !== undefined && this.#requests.get().leads(client),
      mayBring: client?.role === "driver",
      showAgentText: (isShown) => {
        if (client) client.view = { ...client.view, agentText: isShown };
      },
      interruptRun: () => this.targets.interrupt(),
      endSession: () => this.#end(),
      receiveMcp: (server, message) => this.#requests.get().receiveMcp(client?.id ?? "", server, message),
    };
    return attempt(() => handler(request, this.targets, context));
  }

  #askerOf(client: StreamClient): Asker {
    const known = this.#askers.get(client);
    if (known) return known;
    const asker: Asker = { client, cancels: new Map(), asked: new Set(), behind: undefined, initializing: undefined };
    if (client.isDetached) return asker;
    this.#askers.set(client, asker);
    return asker;
  }

  #answer(id: string, reply: ControlReply, asker: Asker): void {
    const message = reply.ok
      ? controlSuccess(id, reply.payload)
      : controlError(id, reply.error, reply.code, reply.missing);
    const beside = reply.ok ? reply.beside : undefined;
    const behind = asker.client.tell(beside ? { ...message, response: { ...message.response, ...beside } } : message);
    if (reply.ok) reply.after?.();
    if (behind === undefined) return;
    asker.behind = behind;
    void behind.then(() => {
      if (asker.behind === behind) asker.behind = undefined;
    });
  }
}

interface Asked {
  readonly id: string;
  readonly signal: AbortSignal;
  /** Absent for a request of the session itself. */
  readonly asker?: Asker;
}

function refusalFor(
  { role }: StreamClient,
  row: ControlRow | undefined,
  subtype: string,
): ControlReply<never> | undefined {
  if (role === "driver" || row === undefined || row.forWatchers) return undefined;
  return failed(`${subtype}: ${WATCHES_ONLY}`, "watcher");
}

function requestOf({ role }: StreamClient, row: ControlRow | undefined, request: UncheckedRequest): UncheckedRequest {
  return role === "watcher" && typeof row?.forWatchers === "function" ? row.forWatchers(request) : request;
}

/** Loaded with the first request; `require`, because some requests are answered before anything else happens. */
function controlRow(subtype: string): ControlRow | undefined {
  const table = require("./table.ts") as typeof TableModule;
  return table.controlRow(subtype);
}

const isChange = (row: ControlRow | undefined) => row !== undefined && "later" in row && row.change === true;

/** Turns anything thrown into a reply. */
function attempt<Reply extends ControlReply>(
  act: () => Reply | Promise<Reply>,
): Reply | ControlReply<never> | Promise<Reply | ControlReply<never>> {
  const broken = (error: unknown): ControlReply<never> => ({
    ok: false,
    error: error instanceof Error ? error.message : String(error),
  });
  try {
    const reply = act();
    return reply instanceof Promise ? reply.catch(broken) : reply;
  } catch (error) {
    return broken(error);
  }
}

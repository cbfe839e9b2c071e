// Control requests from the client. Each one gets exactly one reply, in any order; a request that the client cancels
// gets none. Requests to the client are in client-requests.ts.

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
import type { ClientRequests } from "./client-requests.ts";
import { unsupported, type ControlContext, type ControlReply, type ControlHandler } from "./reply.ts";
import type * as TableModule from "./table.ts";
import type { ControlRow } from "./table.ts";
import type { ControlTargets } from "./targets.ts";

/** How long a session that has ended waits for replies in progress. */
const LAST_WAIT_MS = 5_000;

export class Controls {
  readonly #makeTargets: () => ControlTargets;
  #targets: ControlTargets | undefined;
  readonly #client: ClientRequests;
  readonly #working = new Set<Promise<void>>();
  readonly #cancels = new Map<string, AbortController>();
  readonly #asked = new Set<string>();
  #end: () => void = () => undefined;
  #behind: Promise<void> | undefined;
  #lastChange: Promise<void> | undefined;
  /** While `initialize` is being answered: nothing that came after it is answered before it. */
  #initializing: Promise<void> | undefined;

  /** The targets are made with the first request. */
  constructor(targets: () => ControlTargets, client: ClientRequests) {
    this.#makeTargets = targets;
    this.#client = client;
  }

  get targets(): ControlTargets {
    return (this.#targets ??= this.#makeTargets());
  }

  /** Called for `end_session`. */
  onEnd(end: () => void): void {
    this.#end = end;
  }

  handle({ request_id: id, request }: ControlRequest): void {
    const cancel = new AbortController();
    const row = controlRow(request.subtype);
    const reply = this.#reply(row, request, id, cancel.signal);
    if (!(reply instanceof Promise)) return this.#answer(id, reply);
    this.#cancels.set(id, cancel);
    const work = reply.then((ready) => {
      if (this.#cancels.get(id) === cancel) this.#cancels.delete(id);
      if (!cancel.signal.aborted) this.#answer(id, ready);
    });
    this.#working.add(work);
    void work.finally(() => this.#working.delete(work));
    if (isChange(row)) this.#lastChange = work;
    if (request.subtype !== "initialize") return;
    const over: Promise<void> = work.finally(() => {
      if (this.#initializing === over) this.#initializing = undefined;
    });
    this.#initializing = over;
  }

  /** Performs a request of the session itself, such as a typed command, in the same way. Rejects if it fails. */
  async perform<Subtype extends ControlSubtype>(
    subtype: Subtype,
    fields: FieldsOf<Subtype> | undefined,
    signal: AbortSignal,
  ): Promise<ReplyTo<Subtype>> {
    const request = controlBody(subtype, fields);
    const row = controlRow(request.subtype);
    const work = Promise.resolve(this.#reply(row, request, "", signal));
    if (isChange(row)) this.#lastChange = work.then(() => undefined);
    const reply = await work;
    if (reply.ok) return reply.payload;
    // The name of the request in front is for clients.
    throw new Error(reply.error.replace(`${request.subtype}: `, ""));
  }

  /** The client no longer wants a reply. Unknown and finished requests are ignored. */
  cancel(id: string): void {
    this.#cancels.get(id)?.abort();
  }

  /** Resolves when all changes requested so far are done. */
  async changed(): Promise<void> {
    await this.#lastChange;
  }

  /** The client sends no more replies. With `now`, it does not wait for ours either. */
  close({ now = false }: { readonly now?: boolean } = {}): void {
    if (now) for (const cancel of this.#cancels.values()) cancel.abort();
    this.#client.close();
  }

  /** Waits for replies in progress; those that take too long become errors. */
  async finish(): Promise<void> {
    if ([...this.#cancels.values()].every(({ signal }) => signal.aborted)) return;
    const { promise: enough, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, LAST_WAIT_MS);
    await Promise.race([Promise.all(this.#working), enough]);
    clearTimeout(timer);
    for (const [id, cancel] of this.#cancels) {
      if (cancel.signal.aborted) continue;
      cancel.abort();
      this.#answer(id, { ok: false, error: "The session ended before this request was done" });
    }
  }

  #reply(
    row: ControlRow | undefined,
    request: UncheckedRequest,
    id: string,
    signal: AbortSignal,
  ): ControlReply<any> | Promise<ControlReply<any>> {
    const first = this.#initializing;
    if (row === undefined || "now" in row) {
      const answer = () => (row ? this.#run(row.now, request, id, signal) : unsupported(request.subtype));
      return first ? first.then(answer) : answer();
    }
    return attempt(async () => {
      const before = isChange(row) ? this.#lastChange : first;
      const handler = await row.later();
      await before;
      // A client that does not read its replies waits for the next one.
      if (this.#behind) await this.#behind;
      return this.#run(handler, request, id, signal);
    });
  }

  #run(
    handler: ControlHandler<any>,
    request: UncheckedRequest,
    id: string,
    signal: AbortSignal,
  ): ControlReply<any> | Promise<ControlReply<any>> {
    const again = this.#asked.has(request.subtype);
    this.#asked.add(request.subtype);
    const context: ControlContext = {
      id,
      signal,
      pending: this.#client.open,
      again,
      interruptRun: () => this.targets.interrupt(),
      endSession: () => this.#end(),
      receiveMcp: (server, message) => this.#client.receiveMcp(server, message),
    };
    return attempt(() => handler(request, this.targets, context));
  }

  #answer(id: string, reply: ControlReply): void {
    const message = reply.ok
      ? controlSuccess(id, reply.payload)
      : controlError(id, reply.error, reply.code, reply.missing);
    const beside = reply.ok ? reply.beside : undefined;
    const behind = this.targets.send(beside ? { ...message, response: { ...message.response, ...beside } } : message);
    if (reply.ok) reply.after?.();
    if (behind === undefined) return;
    this.#behind = behind;
    void behind.then(() => {
      if (this.#behind === behind) this.#behind = undefined;
    });
  }
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

// Control requests from the client. Each is answered exactly once, in any order; one that the client cancels needs no
// answer. Requests to the client are in client-requests.ts.

import { controlError, controlSuccess, type ControlRequest, type JsonObject } from "@keelson/protocol";
import type { ClientRequests } from "./client-requests.ts";
import { cancelAsyncMessage, interrupted, setPermissionMode } from "./handlers/flow.ts";
import { done, fieldsIn, unsupported, type Handler, type ControlReply, type ControlRequestBody } from "./reply.ts";
import { LATE } from "./table.ts";
import type { ControlTargets } from "./targets.ts";

/** Done one after another, in the order they came; a run that starts meanwhile waits for them. */
const CHANGES = new Set([
  "apply_flag_settings",
  "initialize",
  "mcp_set_servers",
  "mcp_toggle",
  "register_repo_root",
  "rename_session",
  "rewind_files",
  "seed_read_state",
  "set_max_thinking_tokens",
  "set_model",
  "update_settings",
]);

/** How long a session that is over waits for answers still being worked out. */
const LAST_WAIT_MS = 5_000;

export class Controls {
  readonly #targets: ControlTargets;
  readonly #client: ClientRequests;
  readonly #working = new Set<Promise<void>>();
  readonly #cancels = new Map<string, AbortController>();
  readonly #asked = new Set<string>();
  #end: () => void = () => undefined;
  #behind: Promise<void> | undefined;
  #lastChange: Promise<void> | undefined;

  constructor(targets: ControlTargets, client: ClientRequests) {
    this.#targets = targets;
    this.#client = client;
  }

  /** What `end_session` does. */
  onEnd(end: () => void): void {
    this.#end = end;
  }

  handle({ request_id: id, request }: ControlRequest): void {
    const cancel = new AbortController();
    const reply = this.#reply(request, id, cancel.signal);
    if (!(reply instanceof Promise)) return this.#answer(id, reply);
    this.#cancels.set(id, cancel);
    const work = reply.then((ready) => {
      if (this.#cancels.get(id) === cancel) this.#cancels.delete(id);
      if (!cancel.signal.aborted) this.#answer(id, ready);
    });
    this.#working.add(work);
    void work.finally(() => this.#working.delete(work));
    if (CHANGES.has(request.subtype)) this.#lastChange = work;
  }

  /** The client no longer wants an answer. One that is unknown or done is no error (observed). */
  cancel(id: string): void {
    this.#cancels.get(id)?.abort();
  }

  /** Resolves when every change asked for so far has been made. */
  async changed(): Promise<void> {
    await this.#lastChange;
  }

  /** The client has gone. With `now`, it does not want our answers either. */
  close({ now = false }: { readonly now?: boolean } = {}): void {
    if (now) for (const cancel of this.#cancels.values()) cancel.abort();
    this.#client.close();
  }

  /** Answers still being worked out are given; those that take too long are given up. */
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

  #reply(request: ControlRequestBody, id: string, signal: AbortSignal): ControlReply | Promise<ControlReply> {
    switch (request.subtype) {
      case "interrupt":
        // An open question is withdrawn before the reply, the marker and the result come after it (observed).
        this.#targets.interrupt();
        return this.#run(interrupted, request, id, signal);
      case "set_permission_mode":
        return this.#run(setPermissionMode, request, id, signal);
      case "cancel_async_message":
        // Not a moment later: the prompt may be about to run.
        return this.#run(cancelAsyncMessage, request, id, signal);
      case "mcp_message":
        this.#client.heardFromMcp(String(request["server_name"]), (fieldsIn(request, "message") ?? {}) as JsonObject);
        return done();
      case "end_session":
        return done(undefined, { after: () => this.#end() });
      default: {
        const load = Object.hasOwn(LATE, request.subtype) ? LATE[request.subtype] : undefined;
        return load ? attempt(() => this.#late(load, request, id, signal)) : unsupported(request.subtype);
      }
    }
  }

  /** Whoever does not read what it asked for waits; what changes the session waits for the change before it. */
  async #late(
    load: () => Promise<Handler>,
    request: ControlRequestBody,
    id: string,
    signal: AbortSignal,
  ): Promise<ControlReply> {
    const before = CHANGES.has(request.subtype) ? this.#lastChange : undefined;
    const handler = await load();
    await before;
    if (this.#behind) await this.#behind;
    return this.#run(handler, request, id, signal);
  }

  #run(
    handler: Handler,
    request: ControlRequestBody,
    id: string,
    signal: AbortSignal,
  ): ControlReply | Promise<ControlReply> {
    const pending = this.#client.open;
    const again = this.#asked.has(request.subtype);
    this.#asked.add(request.subtype);
    return attempt(() => handler(request, this.#targets, { id, signal, pending, again }));
  }

  #answer(id: string, reply: ControlReply): void {
    const message = reply.ok ? controlSuccess(id, reply.payload) : controlError(id, reply.error, reply.code);
    const beside = reply.ok ? reply.beside : undefined;
    const behind = this.#targets.send(beside ? { ...message, response: { ...message.response, ...beside } } : message);
    if (reply.ok) reply.after?.();
    if (behind === undefined) return;
    this.#behind = behind;
    void behind.then(() => {
      if (this.#behind === behind) this.#behind = undefined;
    });
  }
}

/** Whatever breaks, there is an answer. */
function attempt(act: () => ControlReply | Promise<ControlReply>): ControlReply | Promise<ControlReply> {
  const broken = (error: unknown): ControlReply => ({
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

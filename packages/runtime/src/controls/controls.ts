// Control requests in both directions: those we answer, and those we wait on. Each is answered exactly once, in any
// order; one the client takes back needs no answer.

import {
  controlError,
  controlSuccess,
  type ControlRequest,
  type ControlResponse,
  type JsonObject,
} from "@keelson/protocol";
import { cancelAsyncMessage, interrupted, setPermissionMode } from "./handlers/flow.ts";
import { mcpBridges, type McpBridge } from "./mcp-bridge.ts";
import { done, fieldsIn, unsupported, type Handler, type ControlReply, type ControlRequestBody } from "./reply.ts";
import { LATE } from "./table.ts";
import type { ControlTargets } from "./targets.ts";

type Answer = ControlResponse["response"];

interface Open {
  readonly message: ControlRequest;
  settle(answer: Answer): void;
}

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
  readonly #pending = new Map<string, Open>();
  readonly #working = new Set<Promise<void>>();
  readonly #cancels = new Map<string, AbortController>();
  readonly #asked = new Set<string>();
  readonly #bridges = mcpBridges((request, signal) => this.request(request, signal));
  #interrupt: () => void = () => undefined;
  #end: () => void = () => undefined;
  #behind: Promise<void> | undefined;
  #lastChange: Promise<void> | undefined;
  #closed = false;

  constructor(targets: ControlTargets) {
    this.#targets = targets;
  }

  onInterrupt(interrupt: () => void): void {
    this.#interrupt = interrupt;
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

  /** Asks the client. Ends with an error when the client goes away or the question is withdrawn. */
  request(request: ControlRequestBody, signal: AbortSignal): Promise<Answer> {
    const id = this.#targets.newId();
    const gone = (error: string): Answer => ({ subtype: "error", request_id: id, error });
    if (this.#closed) return Promise.resolve(gone(closedText(request)));
    if (signal.aborted) return Promise.resolve(gone(WITHDRAWN));
    return new Promise((resolve) => {
      const stop = () => {
        void this.#targets.send({ type: "control_cancel_request", request_id: id });
        this.#finish(id, gone(WITHDRAWN));
      };
      const message: ControlRequest = { type: "control_request", request_id: id, request };
      const settle = (answer: Answer) => {
        signal.removeEventListener("abort", stop);
        resolve(answer);
      };
      this.#pending.set(id, { message, settle });
      signal.addEventListener("abort", stop, { once: true });
      void this.#targets.send(message);
    });
  }

  /** A hook that is a function of the client. */
  callHook(callbackId: string, input: JsonObject, signal: AbortSignal): Promise<Answer> {
    const { tool_use_id: call } = input;
    // Where there is no call, an id of its own (observed).
    const id = typeof call === "string" ? call : this.#targets.newId();
    return this.request({ subtype: "hook_callback", callback_id: callbackId, input, tool_use_id: id }, signal);
  }

  /** An MCP server that lives in the client. */
  mcpServer(name: string): McpBridge {
    return this.#bridges.to(name);
  }

  resolveRequest({ response }: ControlResponse): void {
    this.#finish(response.request_id, response);
  }

  /** Nobody will answer any more. With `now`, nobody waits for our answers either. */
  close({ now = false }: { readonly now?: boolean } = {}): void {
    this.#closed = true;
    if (now) for (const cancel of this.#cancels.values()) cancel.abort();
    for (const [id, { message }] of this.#pending) {
      this.#finish(id, { subtype: "error", request_id: id, error: closedText(message.request) });
    }
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

  #finish(id: string, answer: Answer): void {
    const open = this.#pending.get(id);
    this.#pending.delete(id);
    open?.settle(answer);
  }

  #reply(request: ControlRequestBody, id: string, signal: AbortSignal): ControlReply | Promise<ControlReply> {
    switch (request.subtype) {
      case "interrupt":
        // An open question is withdrawn before the reply, the marker and the result come after it (observed).
        this.#interrupt();
        return this.#run(interrupted, request, id, signal);
      case "set_permission_mode":
        return this.#run(setPermissionMode, request, id, signal);
      case "cancel_async_message":
        // Not a moment later: the prompt may be about to run.
        return this.#run(cancelAsyncMessage, request, id, signal);
      case "mcp_message":
        this.#bridges.heard(String(request["server_name"]), (fieldsIn(request, "message") ?? {}) as JsonObject);
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
    const pending = [...this.#pending.values()].map(({ message }) => message);
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

const WITHDRAWN = "the run was interrupted";

function closedText({ subtype }: ControlRequestBody): string {
  return subtype === "can_use_tool"
    ? "Tool permission stream closed before response received"
    : "The client closed the stream before it answered";
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

// Control requests in both directions: those we answer, and those we wait on. Each is answered exactly once.

import {
  controlError,
  controlSuccess,
  isPermissionMode,
  PERMISSION_MODES,
  type ControlRequest,
  type ControlResponse,
  type JsonObject,
  type Outbound,
  type PermissionMode,
} from "@keelson/protocol";

export interface ControlTargets {
  send(message: Outbound): void;
  newId(): string;
  describe(): Record<string, unknown>;
  /** Ids of prompts that wait for their turn. */
  queued(): readonly string[];
  setMode(mode: PermissionMode): string | undefined;
  /** The id it resolved to. Rejects with a reason when it cannot be had. */
  setModel(model: string | undefined): Promise<string>;
}

type Answer = ControlResponse["response"];

export class Controls {
  readonly #targets: ControlTargets;
  readonly #pending = new Map<string, (answer: Answer) => void>();
  #interrupt: () => void = () => undefined;
  #closed = false;

  constructor(targets: ControlTargets) {
    this.#targets = targets;
  }

  onInterrupt(interrupt: () => void): void {
    this.#interrupt = interrupt;
  }

  handle(message: ControlRequest): void {
    const { request_id: id, request } = message;
    switch (request.subtype) {
      case "initialize":
        return this.#targets.send(controlSuccess(id, this.#targets.describe()));
      case "interrupt":
        // An open question is withdrawn before the reply, the marker and the result come after it (observed).
        this.#interrupt();
        return this.#targets.send(controlSuccess(id, { still_queued: this.#targets.queued() }));
      case "set_permission_mode":
        return this.#setMode(id, request["mode"]);
      case "set_model":
        return void this.#setModel(id, request["model"]);
      default: {
        const text = `Unsupported control request subtype: ${request.subtype}`;
        return this.#targets.send(controlError(id, text, "unsupported_request"));
      }
    }
  }

  /** Asks the client. Ends with an error when the client goes away or the run is stopped. */
  ask(request: ControlRequest["request"], signal: AbortSignal): Promise<Answer> {
    const id = this.#targets.newId();
    const gone = (error: string): Answer => ({ subtype: "error", request_id: id, error });
    if (this.#closed) return Promise.resolve(gone("Tool permission stream closed before response received"));
    return new Promise((resolve) => {
      const stop = () => {
        this.#targets.send({ type: "control_cancel_request", request_id: id });
        this.#finish(id, gone("the run was interrupted"));
      };
      this.#pending.set(id, (answer) => {
        signal.removeEventListener("abort", stop);
        resolve(answer);
      });
      signal.addEventListener("abort", stop, { once: true });
      this.#targets.send({ type: "control_request", request_id: id, request });
    });
  }

  /** Asks a function the client registered for hooks. Events without a call of their own get an id made up for them. */
  callHook(callbackId: string, input: JsonObject, signal: AbortSignal): Promise<Answer> {
    const toolUseId = typeof input["tool_use_id"] === "string" ? input["tool_use_id"] : this.#targets.newId();
    return this.ask({ subtype: "hook_callback", callback_id: callbackId, input, tool_use_id: toolUseId }, signal);
  }

  settle({ response }: ControlResponse): void {
    this.#finish(response.request_id, response);
  }

  close(): void {
    this.#closed = true;
    for (const id of this.#pending.keys()) {
      const error = "Tool permission stream closed before response received";
      this.#finish(id, { subtype: "error", request_id: id, error });
    }
  }

  #finish(id: string, answer: Answer): void {
    const resolve = this.#pending.get(id);
    this.#pending.delete(id);
    resolve?.(answer);
  }

  async #setModel(id: string, wanted: unknown): Promise<void> {
    try {
      const model = await this.#targets.setModel(
        typeof wanted === "string" && wanted !== "default" ? wanted : undefined,
      );
      this.#targets.send(controlSuccess(id, { model }));
    } catch (error) {
      this.#targets.send(controlError(id, error instanceof Error ? error.message : String(error)));
    }
  }

  #setMode(id: string, mode: unknown): void {
    if (!isPermissionMode(mode)) {
      const text = `Cannot set permission mode: must be one of ${PERMISSION_MODES.join(", ")}`;
      return this.#targets.send(controlError(id, text, "invalid_mode"));
    }
    const refusal = this.#targets.setMode(mode);
    if (refusal !== undefined) return this.#targets.send(controlError(id, refusal, "bypass_not_launched"));
    this.#targets.send(controlSuccess(id, { mode }));
  }
}

// Control requests to the client: permission questions, hook callbacks, messages for MCP servers inside it. Each is
// answered exactly once, in any order. Requests from the client are in controls.ts.

import type {
  ClientQuestion,
  ControlRequest,
  ControlResponse,
  JsonObject,
  Outbound,
  UncheckedRequest,
} from "@keelson/protocol";
import { mcpBridges, type McpBridge } from "./mcp-bridge.ts";

type Answer = ControlResponse["response"];

interface OpenRequest {
  readonly message: ControlRequest;
  resolve(answer: Answer): void;
}

export interface ClientRequestsOptions {
  send(message: Outbound): void | Promise<void>;
  newId(): string;
}

export class ClientRequests {
  readonly #options: ClientRequestsOptions;
  readonly #open = new Map<string, OpenRequest>();
  readonly #bridges = mcpBridges((request, signal) => this.send(request, signal));
  #closed = false;

  constructor(options: ClientRequestsOptions) {
    this.#options = options;
  }

  /** Requests still waiting for an answer, oldest first. */
  get open(): readonly ControlRequest[] {
    return [...this.#open.values()].map(({ message }) => message);
  }

  /** Resolves with an error when the client goes away or the signal aborts. */
  send(request: UncheckedRequest, signal: AbortSignal): Promise<Answer> {
    const { newId, send } = this.#options;
    const id = newId();
    const gone = (error: string): Answer => ({ subtype: "error", request_id: id, error });
    if (this.#closed) return Promise.resolve(gone(closedText(request)));
    if (signal.aborted) return Promise.resolve(gone(WITHDRAWN));
    return new Promise((resolve) => {
      const stop = () => {
        void send({ type: "control_cancel_request", request_id: id });
        this.#resolve(id, gone(WITHDRAWN));
      };
      const message: ControlRequest = { type: "control_request", request_id: id, request };
      this.#open.set(id, {
        message,
        resolve(answer) {
          signal.removeEventListener("abort", stop);
          resolve(answer);
        },
      });
      signal.addEventListener("abort", stop, { once: true });
      void send(message);
    });
  }

  /** Calls a hook that is a function of the client. */
  callHook(callbackId: string, input: JsonObject, signal: AbortSignal, callId?: string): Promise<Answer> {
    const { tool_use_id: named } = input;
    // Events without a call get an id of their own.
    const id = callId ?? (typeof named === "string" ? named : this.#options.newId());
    const question: ClientQuestion<"hook_callback"> = {
      subtype: "hook_callback",
      callback_id: callbackId,
      input,
      tool_use_id: id,
    };
    return this.send(question, signal);
  }

  /** An MCP server that lives in the client. */
  mcpServer(name: string): McpBridge {
    return this.#bridges.to(name);
  }

  /** A message that an MCP server in the client sent by itself. */
  receiveMcp(server: string, message: JsonObject): void {
    this.#bridges.receive(server, message);
  }

  /** The client answered. */
  answered({ response }: ControlResponse): void {
    this.#resolve(response.request_id, response);
  }

  /** The client will not answer any more. */
  close(): void {
    this.#closed = true;
    for (const [id, { message }] of this.#open) {
      this.#resolve(id, { subtype: "error", request_id: id, error: closedText(message.request) });
    }
  }

  #resolve(id: string, answer: Answer): void {
    const open = this.#open.get(id);
    this.#open.delete(id);
    open?.resolve(answer);
  }
}

const WITHDRAWN = "the run was interrupted";

function closedText({ subtype }: UncheckedRequest): string {
  return subtype === "can_use_tool"
    ? "Tool permission stream closed before response received"
    : "The client closed the stream before it answered";
}

// Control requests to clients. A question goes to all clients that answer such questions, and the first valid answer
// counts; hook callbacks and messages for MCP servers go to the client they belong to. Each is settled exactly once, in
// any order. Requests from clients are in controls.ts.

import type {
  CallbackHook,
  ClientQuestion,
  ControlCancelRequest,
  ControlRequest,
  ControlResponse,
  JsonObject,
  StreamMessage,
  UncheckedRequest,
} from "@keelson/protocol";
import { describeClient, type StreamClient, type Clients } from "../stream/clients.ts";
import { withoutCallMeta } from "../stream/tool-use-meta.ts";
import type * as AnswersModule from "./answers.ts";
import { mcpBridges, type McpBridge } from "./mcp-bridge.ts";

type Answer = ControlResponse["response"];

interface OpenRequest {
  readonly message: ControlRequest;
  isFor(client: StreamClient): boolean;
  /** Any of several clients may answer. */
  readonly isQuestion: boolean;
  /** Answers that count only if no better one can come. */
  readonly refused: Map<StreamClient, Answer>;
  resolve(answer: Answer): void;
}

export interface ClientRequestsOptions {
  readonly clients: Clients;
  /** A question stays open while no client is attached that may answer it. */
  readonly waits?: boolean;
  newId(): string;
}

export class ClientRequests {
  readonly #options: ClientRequestsOptions;
  readonly #open = new Map<string, OpenRequest>();
  readonly #bridges = mcpBridges((...asked) => this.#sendTo(...asked));

  constructor(options: ClientRequestsOptions) {
    this.#options = options;
  }

  /** Questions that no one has answered, oldest first. */
  get questions(): readonly ControlRequest[] {
    return [...this.#open.values()].flatMap(({ message, isQuestion }) => (isQuestion ? [message] : []));
  }

  /** Those that this client may answer. */
  questionsFor(client: StreamClient): readonly ControlRequest[] {
    const open = [...this.#open.values()].filter((each) => each.isQuestion && each.isFor(client));
    return open.map(({ message }) => (client.view.toolMeta ? message : withoutCallMeta(message)));
  }

  /** Whether no other driver has been attached for as long. */
  leads(client: StreamClient): boolean {
    return [...this.#options.clients.all].find(({ role }) => role === "driver") === client;
  }

  /**
   * Asks everyone who may answer. Resolves with an error when the signal aborts, or no one is left who could answer; if the
   * session waits for answers, those who attach later are asked.
   */
  ask(request: UncheckedRequest, signal: AbortSignal): Promise<Answer> {
    const kind = request.subtype === "can_use_tool" ? "permissions" : "requests";
    return this.#send(request, signal, { isQuestion: true, isFor: ({ answers }) => answers[kind] });
  }

  /** Calls a hook that is a function of a client. */
  callHook(
    { callbackId, client }: Pick<CallbackHook, "callbackId" | "client">,
    input: JsonObject,
    signal: AbortSignal,
    callId?: string,
  ): Promise<Answer> {
    const { tool_use_id: named } = input;
    // Events without a call get an id of their own.
    const id = callId ?? (typeof named === "string" ? named : this.#options.newId());
    const question: ClientQuestion<"hook_callback"> = {
      subtype: "hook_callback",
      callback_id: callbackId,
      input,
      tool_use_id: id,
    };
    return this.#sendTo(client, question, signal);
  }

  /** What one client offered to answer. */
  askOne(
    client: string,
    question: ClientQuestion<"read_open_file"> | ClientQuestion<"write_open_file">,
    signal: AbortSignal,
  ): Promise<Answer> {
    return this.#sendTo(client, question, signal);
  }

  /** An MCP server that lives in a client. */
  mcpServer(client: string, name: string): McpBridge {
    return this.#bridges.to(client, name);
  }

  /** A message that an MCP server in a client sent by itself. */
  receiveMcp(client: string, server: string, message: JsonObject): void {
    this.#bridges.receive(client, server, message);
  }

  /** A client answered. Answers to what is settled or was never asked are ignored. */
  answered({ response }: ControlResponse, by: StreamClient): void {
    const open = this.#open.get(response.request_id);
    if (!open?.isFor(by)) return;
    const others = open.isQuestion ? this.#able(open).filter((client) => client !== by) : [];
    if (others.length > 0 && !answers().isValidAnswer(open.message.request.subtype, response)) {
      open.refused.set(by, response);
      return;
    }
    this.#withdraw(open, by);
    this.#resolve(response.request_id, response);
  }

  /** A client is gone, or only reads from now on: what only it could answer is not answered any more. */
  left(client: StreamClient): void {
    const concerned = [...this.#open].filter(([, open]) => open.isFor(client));
    client.isSilent = true;
    for (const [id, open] of concerned) {
      const refused = open.refused.get(client);
      open.refused.delete(client);
      // It may have gone only so far that it still reads.
      if (!client.isDetached && !client.takeBack(id)) {
        void client.tell({ type: "control_cancel_request", request_id: id });
      }
      if (this.#able(open).length > 0) continue;
      if (this.#options.waits && open.isQuestion && open.refused.size === 0) continue;
      const answer = [...open.refused.values()].at(-1) ?? refused ?? gone(id, closedText(open.message.request));
      this.#withdraw(open, undefined);
      this.#resolve(id, answer);
    }
  }

  /** No client will answer any more. */
  close(): void {
    for (const [id, { message }] of this.#open) this.#resolve(id, gone(id, closedText(message.request)));
  }

  #sendTo(client: string, request: UncheckedRequest, signal: AbortSignal): Promise<Answer> {
    return this.#send(request, signal, {
      isQuestion: false,
      isFor: ({ id, isSilent }) => id === client && !isSilent,
    });
  }

  #send(
    request: UncheckedRequest,
    signal: AbortSignal,
    to: Pick<OpenRequest, "isFor" | "isQuestion">,
  ): Promise<Answer> {
    const { newId, clients } = this.#options;
    const id = newId();
    const isHeard =
      clients.awaitsFirst ||
      (this.#options.waits && to.isQuestion) ||
      [...clients.all].some((client) => to.isFor(client));
    if (clients.areSilent || !isHeard) return Promise.resolve(gone(id, closedText(request)));
    if (signal.aborted) return Promise.resolve(gone(id, WITHDRAWN));
    return new Promise((resolve) => {
      const message: ControlRequest = { type: "control_request", request_id: id, request };
      const open: OpenRequest = {
        message,
        ...to,
        refused: new Map(),
        resolve(answer) {
          signal.removeEventListener("abort", stop);
          resolve(answer);
        },
      };
      const stop = () => {
        this.#withdraw(open, undefined);
        this.#resolve(id, gone(id, WITHDRAWN));
      };
      this.#open.set(id, open);
      signal.addEventListener("abort", stop, { once: true });
      clients.tell(message, to.isFor);
      if (!to.isQuestion) return;
      const shown: StreamMessage = { type: "stream", subtype: "asked", question: message };
      clients.tell(shown, (client) => client.view.streamEvents === true && !to.isFor(client));
    });
  }

  /** The clients that may still give a valid answer. */
  #able({ isFor, refused }: OpenRequest): readonly StreamClient[] {
    return [...this.#options.clients.all].filter((client) => isFor(client) && !refused.has(client));
  }

  /** Tells everyone but the one who answered that nobody need answer. */
  #withdraw({ message, isFor, isQuestion }: OpenRequest, by: StreamClient | undefined): void {
    const { clients } = this.#options;
    const { request_id } = message;
    // No client has heard of it.
    if (clients.takeBackEarly(request_id)) return;
    const answered = isQuestion && by ? { answered_by: describeClient(by) } : {};
    const cancel: ControlCancelRequest = {
      type: "control_cancel_request",
      request_id,
      ...answered,
    };
    clients.tell(cancel, (client) => isFor(client) && client !== by && !client.takeBack(request_id));
    if (!isQuestion) return;
    const settled: StreamMessage = {
      type: "stream",
      subtype: "answered",
      request_id,
      by: by ? describeClient(by) : null,
    };
    clients.tell(settled, (client) => client.view.streamEvents === true && client !== by);
  }

  #resolve(id: string, answer: Answer): void {
    const open = this.#open.get(id);
    this.#open.delete(id);
    open?.resolve(answer);
  }
}

const WITHDRAWN = "the run was interrupted";

const gone = (request_id: string, error: string): Answer => ({ subtype: "error", request_id, error });

function closedText({ subtype }: UncheckedRequest): string {
  return subtype === "can_use_tool"
    ? "Tool permission stream closed before response received"
    : "The client closed the stream before it answered";
}

// Only for answers to a question that several clients were asked.
const answers = () => require("./answers.ts") as typeof AnswersModule;

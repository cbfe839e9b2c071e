// An MCP server that offers tools: the handshake, the list, calls with progress and cancellation, and yes-or-no questions
// to the user through the client. Knows nothing about the tools, and reads no stream itself.

import { isObject, VERSION, type JsonObject } from "@keelson/protocol";
import { INVALID_PARAMS, INVALID_REQUEST, McpError, messageOf } from "../connection/rpc.ts";
import { LineConnection } from "./line-connection.ts";

export interface ServedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly annotations?: JsonObject;
}

export interface ServedCall {
  readonly name: string;
  readonly input: JsonObject;
  readonly signal: AbortSignal;
  /** Tells the client how the call is going, if it wants to know. */
  progress(message: string): void;
}

export interface ServedResult {
  readonly content: readonly JsonObject[];
  readonly isError: boolean;
}

export interface ToolServerOptions {
  /** Called once, when a client has said what it can do. The tools are used only after it resolved. */
  open(client: ClientFacts): Promise<ToolSource>;
  write(line: string): void | Promise<void>;
  /** The client no longer reads. */
  onGone(): void;
}

export interface ClientFacts {
  readonly name: string;
  /** Whether the client can show its user a form. */
  readonly canAsk: boolean;
}

export interface ToolSource {
  list(): readonly ServedTool[];
  /** Undefined if there is no such tool. */
  call(call: ServedCall): Promise<ServedResult | undefined>;
}

/** What the user said; `failed` if the client could not ask. */
export type UserAnswer =
  { readonly kind: "yes" | "no" | "dismissed" } | { readonly kind: "failed"; readonly reason: string };

/** Newest first. A client that wants another version is offered the newest. */
const VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const MAX_NAME_LENGTH = 200;

export class ToolServer {
  readonly #options: ToolServerOptions;
  readonly #connection: LineConnection;
  readonly #noAnswers = new AbortController();
  #source: Promise<ToolSource> | undefined;

  constructor(options: ToolServerOptions) {
    this.#options = options;
    this.#connection = new LineConnection({
      handlers: {
        initialize: (params) => this.#initialize(params),
        "tools/list": async () => ({ tools: (await this.#opened()).list().map((tool) => ({ ...tool })) }),
        "tools/call": (params, signal) => this.#call(params, signal),
      },
      write: (line) => options.write(line),
      onGone: () => options.onGone(),
    });
  }

  receive(line: string): void {
    this.#connection.receive(line);
  }

  /** Answers a message that could not be read. */
  refuseUnreadable(reason: string): void {
    this.#connection.refuseUnreadable(reason);
  }

  /** Resolves when the client has read everything written so far. */
  drained(): Promise<void> {
    return this.#connection.drained();
  }

  /** Resolves when every request received so far has been answered. */
  settled(): Promise<void> {
    return this.#connection.settled();
  }

  /** Asks the user through the client. Never rejects. */
  async ask(
    message: string,
    field: { readonly name: string; readonly title: string },
    signal: AbortSignal,
  ): Promise<UserAnswer> {
    const requestedSchema = {
      type: "object",
      properties: { [field.name]: { type: "boolean", title: field.title } },
      required: [field.name],
    };
    try {
      const limit = { timeoutMs: Infinity, signal: AbortSignal.any([signal, this.#noAnswers.signal]) };
      const answer = await this.#connection.client.request("elicitation/create", { message, requestedSchema }, limit);
      return readAnswer(answer, field.name);
    } catch (error) {
      return { kind: "failed", reason: messageOf(error) };
    }
  }

  /** No one will answer questions any more. */
  closeQuestions(): void {
    this.#noAnswers.abort(new Error("the client closed the connection"));
  }

  close(): void {
    this.#connection.close();
  }

  async #initialize(params: JsonObject): Promise<JsonObject> {
    if (this.#source) throw new McpError(INVALID_REQUEST, "Already initialized");
    this.#source = this.#options.open(clientFacts(params));
    await this.#source;
    const { protocolVersion } = params;
    return {
      protocolVersion: VERSIONS.find((version) => version === protocolVersion) ?? VERSIONS[0]!,
      capabilities: { tools: {} },
      serverInfo: { name: "keelson", title: "Keelson", version: VERSION },
    };
  }

  async #opened(): Promise<ToolSource> {
    if (!this.#source) throw new McpError(INVALID_REQUEST, 'Not initialized; send "initialize" first');
    return this.#source;
  }

  async #call(params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const source = await this.#opened();
    const { name, arguments: input = {} } = params;
    if (typeof name !== "string") throw new McpError(INVALID_PARAMS, '"name" must be a string');
    if (!isObject(input)) throw new McpError(INVALID_PARAMS, '"arguments" must be an object');
    const progress = this.#progress(params["_meta"], signal);
    try {
      const result = await source.call({ name, input: input as JsonObject, signal, progress: progress.report });
      if (!result) throw new McpError(INVALID_PARAMS, `Unknown tool: ${name.slice(0, MAX_NAME_LENGTH)}`);
      return { content: result.content, isError: result.isError };
    } finally {
      progress.end();
    }
  }

  /** The number must grow with each report; we cannot tell how much is left. */
  #progress(meta: unknown, signal: AbortSignal): { report(message: string): void; end(): void } {
    const token = isObject(meta) ? meta["progressToken"] : undefined;
    let progress = 0;
    let over = typeof token !== "string" && typeof token !== "number";
    return {
      report: (message) => {
        if (over || signal.aborted) return;
        const params = { progressToken: token as string | number, progress: ++progress, message };
        this.#connection.client.notify("notifications/progress", params);
      },
      end: () => void (over = true),
    };
  }
}

function clientFacts({ clientInfo, capabilities }: JsonObject): ClientFacts {
  const name = isObject(clientInfo) ? clientInfo["name"] : undefined;
  const elicitation = isObject(capabilities) ? capabilities["elicitation"] : undefined;
  return {
    name: typeof name === "string" ? name.slice(0, MAX_NAME_LENGTH) : "",
    // Before 2025-11-25 an empty object was the only form; since then it means forms too.
    canAsk: isObject(elicitation) && ("form" in elicitation || Object.keys(elicitation).length === 0),
  };
}

/** Only an explicit yes is a yes. */
function readAnswer(result: unknown, field: string): UserAnswer {
  if (!isObject(result)) return { kind: "failed", reason: "the client's answer is not valid" };
  const { action, content } = result;
  if (action === "accept") return { kind: isObject(content) && content[field] === true ? "yes" : "no" };
  return { kind: action === "decline" ? "no" : "dismissed" };
}

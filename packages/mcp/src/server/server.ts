// An MCP server that offers tools: the handshake, the list, calls with progress and cancellation, and yes-or-no questions
// to the user through the client. Speaks both generations of the protocol: with sessions, and without (2026-07-28).
// Knows nothing about the tools, and reads no stream itself.

import { isObject, VERSION, type JsonObject } from "@keelson/protocol";
import { INVALID_PARAMS, INVALID_REQUEST, McpError, messageOf, UNSUPPORTED_VERSION } from "../connection/rpc.ts";
import { LineConnection } from "./line-connection.ts";
import { PausedCalls, type AskClient } from "./paused-calls.ts";

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
  /** Asks the user through the client. Never rejects. */
  ask(message: string, field: AskedField, signal: AbortSignal): Promise<UserAnswer>;
}

/** A box to tick. */
export interface AskedField {
  readonly name: string;
  readonly title: string;
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
/** Without sessions: every request says who sends it and in which version. */
const STATELESS = "2026-07-28";
const META = "io.modelcontextprotocol/";
const SERVER_INFO = { name: "keelson", title: "Keelson", version: VERSION };
const CAPABILITIES = { tools: {} };
/** What every list says in the newer protocol: ask again whenever you like. */
const NOT_CACHED = { ttlMs: 0, cacheScope: "private" };
const MAX_NAME_LENGTH = 200;

export class ToolServer {
  readonly #options: ToolServerOptions;
  readonly #connection: LineConnection;
  readonly #noAnswers = new AbortController();
  readonly #paused = new PausedCalls();
  #source: Promise<ToolSource> | undefined;

  constructor(options: ToolServerOptions) {
    this.#options = options;
    this.#connection = new LineConnection({
      handlers: {
        initialize: (params) => this.#initialize(params),
        "server/discover": async (params) => {
          statelessClient(params);
          const supportedVersions = [STATELESS, ...VERSIONS];
          return complete({ supportedVersions, capabilities: CAPABILITIES, ...NOT_CACHED });
        },
        "tools/list": async (params) => {
          const client = statelessClient(params);
          const tools = (await this.#opened(client)).list().map((tool) => ({ ...tool }));
          return client ? complete({ tools, ...NOT_CACHED }) : { tools };
        },
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
      capabilities: CAPABILITIES,
      serverInfo: SERVER_INFO,
    };
  }

  async #opened(client: ClientFacts | undefined): Promise<ToolSource> {
    if (client) this.#source ??= this.#options.open(client);
    if (!this.#source) throw new McpError(INVALID_REQUEST, 'Not initialized; send "initialize" first');
    return this.#source;
  }

  async #call(params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const client = statelessClient(params);
    const source = await this.#opened(client);
    const { name, arguments: input = {} } = params;
    if (typeof name !== "string") throw new McpError(INVALID_PARAMS, '"name" must be a string');
    if (!isObject(input)) throw new McpError(INVALID_PARAMS, '"arguments" must be an object');
    const progress = this.#progress(params["_meta"], signal);
    const run = async (askClient: AskClient, until: AbortSignal) => {
      const ask: ServedCall["ask"] = (...question) => this.#ask(askClient, ...question);
      const call = { name, input: input as JsonObject, signal: until, progress: progress.report, ask };
      const result = await source.call(call).finally(progress.end);
      if (!result) throw new McpError(INVALID_PARAMS, `Unknown tool: ${name.slice(0, MAX_NAME_LENGTH)}`);
      return { content: result.content, isError: result.isError };
    };
    if (!client) {
      const limit = { timeoutMs: Infinity };
      return run(
        (question, until) =>
          this.#connection.client.request("elicitation/create", question, { ...limit, signal: until }),
        signal,
      );
    }
    const begin = { name, run, resumed: (again: JsonObject) => progress.use(again["_meta"]) };
    return complete(await (this.#paused.resume(params, signal) ?? this.#paused.begin(begin, signal)));
  }

  async #ask(askClient: AskClient, message: string, field: AskedField, signal: AbortSignal): Promise<UserAnswer> {
    const requestedSchema = {
      type: "object",
      properties: { [field.name]: { type: "boolean", title: field.title } },
      required: [field.name],
    };
    try {
      const until = AbortSignal.any([signal, this.#noAnswers.signal]);
      return readAnswer(await askClient({ message, requestedSchema }, until), field.name);
    } catch (error) {
      return { kind: "failed", reason: messageOf(error) };
    }
  }

  /** The number must grow with each report; we cannot tell how much is left. */
  #progress(meta: unknown, signal: AbortSignal) {
    let token = progressToken(meta);
    let progress = 0;
    let over = false;
    return {
      report: (message: string) => {
        if (over || signal.aborted || token === undefined) return;
        this.#connection.client.notify("notifications/progress", {
          progressToken: token,
          progress: ++progress,
          message,
        });
      },
      /** The call was sent again, and reports go to that request. */
      use: (again: unknown) => void (token = progressToken(again)),
      end: () => void (over = true),
    };
  }
}

function progressToken(meta: unknown): string | number | undefined {
  const token = isObject(meta) ? meta["progressToken"] : undefined;
  return typeof token === "string" || typeof token === "number" ? token : undefined;
}

/** Who sends this request, if it is one of the protocol without sessions. */
function statelessClient({ _meta: meta }: JsonObject): ClientFacts | undefined {
  const version = isObject(meta) ? meta[`${META}protocolVersion`] : undefined;
  if (!isObject(meta) || version === undefined) return undefined;
  if (version !== STATELESS) {
    const data = { supported: [STATELESS, ...VERSIONS], requested: String(version).slice(0, MAX_NAME_LENGTH) };
    throw new McpError(UNSUPPORTED_VERSION, "Unsupported protocol version", data);
  }
  return clientFacts({
    clientInfo: meta[`${META}clientInfo`] as JsonObject,
    capabilities: meta[`${META}clientCapabilities`] as JsonObject,
  });
}

/** An answer of the newer protocol, which says whether it is the last one. */
function complete(result: JsonObject): JsonObject {
  return { resultType: "complete", ...result, _meta: { [`${META}serverInfo`]: SERVER_INFO } };
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

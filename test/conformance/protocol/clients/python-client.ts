// The strictest client known, rebuilt from documented facts about the Python SDK: how it looks for the program and starts
// it, how it reads lines, which keys it cannot do without, and how long it waits. It drops what it does not know, as that
// one does, and breaks where that one breaks.

import { spawn } from "node:child_process";
import type { Place } from "../play.ts";

export interface PythonOptions {
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly allowedTools?: readonly string[];
  readonly permissionMode?: string;
  readonly maxTurns?: number;
  readonly model?: string;
  readonly resume?: string;
  readonly includePartialMessages?: boolean;
  readonly jsonSchema?: object;
  readonly canUseTool?: (name: string, input: any, context: any) => Promise<object>;
  readonly hooks?: Readonly<Record<string, readonly PythonMatcher[]>>;
  /** Tools of servers inside the client, by server. */
  readonly servers?: Readonly<Record<string, Readonly<Record<string, (input: any) => Promise<string>>>>>;
  readonly env?: Readonly<Record<string, string>>;
}

export interface PythonMatcher {
  readonly matcher: string | null;
  readonly hooks: readonly ((input: any, toolUseId: string | undefined) => Promise<object>)[];
  readonly timeout?: number;
}

export interface PythonClient {
  /** What was understood, in order. Types it does not know are not here. */
  readonly messages: readonly any[];
  connect(): Promise<any>;
  /** `ClaudeSDKClient.query()`. */
  query(prompt: string): void;
  /** Reads up to and with the next result. */
  receiveResponse(): Promise<readonly any[]>;
  control(request: object): Promise<any>;
  /** As `query()` does after its one prompt when nothing can be asked of it. */
  endInput(): void;
  /** Stdin is closed; resolves with the exit code. */
  disconnect(): Promise<number | null>;
}

const CONTROL_TIMEOUT_MS = 60_000;
const MAX_BUFFER_SIZE = 1024 * 1024;
const LEAST_VERSION = [2, 0, 0];

/** Keys without which a message cannot be parsed. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  assistant: ["message.content", "message.model"],
  user: ["message.content"],
  system: ["subtype"],
  "system/task_started": ["task_id", "description", "uuid", "session_id"],
  "system/task_progress": ["task_id", "description", "usage", "uuid", "session_id"],
  "system/task_notification": ["task_id", "status", "output_file", "summary", "uuid", "session_id"],
  result: ["subtype", "duration_ms", "duration_api_ms", "is_error", "num_turns", "session_id"],
  stream_event: ["uuid", "session_id", "event"],
  rate_limit_event: ["rate_limit_info.status", "uuid", "session_id"],
  conversation_reset: ["new_conversation_id", "uuid", "session_id"],
};

/** Runs `<program> -v` as that client does before anything else. Throws when it is too old, or says no version. */
export async function probeVersion(
  { program: [command, ...words], project, env }: Place,
  flag = "-v",
): Promise<string> {
  const child = spawn(command!, [...words, flag], { cwd: project, env });
  const stdout = (await child.stdout.setEncoding("utf8").toArray()).join("");
  const found = /^(\d+)\.(\d+)\.(\d+)/.exec(stdout.trim());
  if (found === null) throw new Error(`No version in: ${stdout}`);
  const version = found.slice(1).map(Number);
  const at = version.findIndex((part, index) => part !== LEAST_VERSION[index]);
  if (at >= 0 && version[at]! < LEAST_VERSION[at]!) throw new Error(`Too old: ${found[0]}`);
  return found[0];
}

export function pythonClient(place: Place, options: PythonOptions = {}): PythonClient {
  const [command, ...words] = place.program;
  const { CLAUDECODE: _, ...inherited } = place.env;
  const env = {
    ...inherited,
    CLAUDE_CODE_ENTRYPOINT: "sdk-py",
    CLAUDE_AGENT_SDK_VERSION: "0.2.143",
    PWD: place.project,
    ...options.env,
  };
  const child = spawn(command!, [...words, ...pythonArguments(options)], { cwd: place.project, env });
  child.stdin.on("error", () => {});
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (stderr += text));

  const messages: any[] = [];
  const waiting = new Map<string, PromiseWithResolvers<any>>();
  const callbacks = new Map<string, PythonMatcher["hooks"][number]>();
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => {});
  let heard = Promise.withResolvers<void>();
  let [count, read] = [0, 0];
  const write = (message: object) => void child.stdin.write(`${JSON.stringify(message)}\n`);
  const exited = new Promise<number | null>((resolve) => {
    child.once("close", (code) => {
      broken.reject(new Error(`CLIConnectionError: the program ended with ${code}: ${stderr}`));
      resolve(code);
    });
  });

  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    try {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      if (Buffer.byteLength(rest) > MAX_BUFFER_SIZE)
        throw new Error(`CLIJSONDecodeError: more than ${MAX_BUFFER_SIZE} bytes`);
      for (const line of lines) if (line.startsWith("{")) take(line);
    } catch (error) {
      broken.reject(error);
    }
  });

  function take(line: string): void {
    if (Buffer.byteLength(line) > MAX_BUFFER_SIZE) throw new Error(`CLIJSONDecodeError: ${line.slice(0, 80)}`);
    const message = JSON.parse(line);
    switch (message.type) {
      case "control_response":
        // Only the nested id is looked at.
        return waiting.get(message.response.request_id)?.resolve(message.response);
      case "control_request":
        return void answer(message.request_id, message.request);
      case "control_cancel_request":
        return;
    }
    const known = parse(message);
    if (known === undefined) return;
    messages.push(known);
    heard.resolve();
    heard = Promise.withResolvers();
  }

  async function answer(request_id: string, request: any): Promise<void> {
    try {
      const response = await respond(request);
      write({ type: "control_response", response: { subtype: "success", request_id, response } });
    } catch (error: any) {
      write({ type: "control_response", response: { subtype: "error", request_id, error: error.message } });
    }
  }

  async function respond(request: any): Promise<object> {
    switch (request.subtype) {
      case "can_use_tool": {
        if (options.canUseTool === undefined) throw new Error("canUseTool callback is not provided");
        const said: any = await options.canUseTool(request.tool_name, request.input, {
          suggestions: request.permission_suggestions ?? [],
        });
        // Without a changed input the original is sent back.
        return said.behavior === "allow" ? { ...said, updatedInput: said.updatedInput ?? request.input } : said;
      }
      case "hook_callback": {
        const callback = callbacks.get(request.callback_id);
        if (callback === undefined) throw new Error(`No hook callback found for ID: ${request.callback_id}`);
        return callback(request.input, request.tool_use_id);
      }
      case "mcp_message":
        return { mcp_response: await serve(request.server_name, request.message) };
      default:
        throw new Error(`Unsupported control request subtype: ${request.subtype}`);
    }
  }

  async function serve(name: string, { id, method, params }: any): Promise<object> {
    const tools = options.servers?.[name];
    const reply = (body: object) => ({ jsonrpc: "2.0", id, ...body });
    if (tools === undefined) return reply({ error: { code: -32601, message: `Server '${name}' not found` } });
    switch (method) {
      case "initialize":
        return reply({
          result: {
            protocolVersion: "2024-11-05",
            capabilities: { tools: {} },
            serverInfo: { name, version: "1.0.0" },
          },
        });
      case "tools/list": {
        const inputSchema = { type: "object", properties: {} };
        return reply({
          result: { tools: Object.keys(tools).map((tool) => ({ name: tool, description: tool, inputSchema })) },
        });
      }
      case "tools/call":
        return reply({ result: { content: [{ type: "text", text: await tools[params.name]!(params.arguments) }] } });
      // A notification is answered without an id.
      case "notifications/initialized":
        return { jsonrpc: "2.0", result: {} };
      default:
        return reply({ error: { code: -32601, message: `Method '${method}' not found` } });
    }
  }

  async function control(request: object): Promise<any> {
    const id = `req_${++count}_${crypto.randomUUID().slice(0, 8)}`;
    const settle = Promise.withResolvers<any>();
    waiting.set(id, settle);
    write({ type: "control_request", request_id: id, request });
    const late = setTimeout(
      () => settle.reject(new Error(`Control request timeout: ${JSON.stringify(request)}`)),
      CONTROL_TIMEOUT_MS,
    );
    const response = await Promise.race([settle.promise, broken.promise]).finally(() => clearTimeout(late));
    if (response.subtype === "error") throw new Error(response.error);
    return response.response ?? {};
  }

  return {
    messages,
    control,
    connect() {
      const { hooks } = options;
      const announced =
        hooks &&
        Object.fromEntries(
          Object.entries(hooks).map(([event, matchers]) => [
            event,
            matchers.map(({ matcher, hooks: functions, timeout }) => ({
              matcher,
              hookCallbackIds: functions.map((callback) => {
                const id = `hook_${callbacks.size}`;
                callbacks.set(id, callback);
                return id;
              }),
              ...(timeout === undefined ? {} : { timeout }),
            })),
          ]),
        );
      // Without hooks it says so, instead of saying nothing.
      return control({ subtype: "initialize", hooks: announced ?? null });
    },
    query: (prompt) =>
      write({
        type: "user",
        message: { role: "user", content: prompt },
        parent_tool_use_id: null,
        session_id: "default",
      }),
    async receiveResponse() {
      const from = read;
      for (;;) {
        const at = messages.findIndex(({ type }, index) => index >= from && type === "result");
        if (at >= 0) {
          read = at + 1;
          return messages.slice(from, read);
        }
        await Promise.race([heard.promise, broken.promise]);
      }
    },
    endInput: () => void child.stdin.end(),
    async disconnect() {
      child.stdin.end();
      return exited;
    },
  };
}

/** In the order that client gives them, values apart from most flags. */
function pythonArguments(options: PythonOptions): string[] {
  const { servers } = options;
  const named = Object.keys(servers ?? {}).map((name) => [name, { type: "sdk", name }]);
  const value = (flag: string, text: string | number | undefined) => (text === undefined ? [] : [flag, String(text)]);
  return [
    "--output-format",
    "stream-json",
    "--verbose",
    ...(options.appendSystemPrompt === undefined
      ? ["--system-prompt", options.systemPrompt ?? ""]
      : ["--append-system-prompt", options.appendSystemPrompt]),
    ...value("--allowedTools", options.allowedTools?.join(",")),
    ...value("--max-turns", options.maxTurns),
    ...value("--model", options.model),
    ...(options.canUseTool === undefined ? [] : ["--permission-prompt-tool", "stdio"]),
    ...value("--permission-mode", options.permissionMode),
    ...(options.resume === undefined ? [] : [`--resume=${options.resume}`]),
    ...(servers === undefined ? [] : ["--mcp-config", JSON.stringify({ mcpServers: Object.fromEntries(named) })]),
    ...(options.includePartialMessages ? ["--include-partial-messages"] : []),
    "--setting-sources=user,project",
    ...value("--json-schema", options.jsonSchema && JSON.stringify(options.jsonSchema)),
    "--input-format",
    "stream-json",
  ];
}

/** The message when it is one that client knows; undefined for others. Throws where a key is missing. */
function parse(message: any): any {
  const { type } = message;
  if (!Object.hasOwn(REQUIRED, type)) return undefined;
  const keys = [...REQUIRED[type]!, ...(REQUIRED[`${type}/${message.subtype}`] ?? [])];
  const lacking = keys.filter((key) => key.split(".").reduce((value, part) => value?.[part], message) === undefined);
  if (lacking.length > 0) throw new Error(`MessageParseError: ${type} lacks ${lacking.join(", ")}`);
  if (type !== "assistant") return message;
  if (!Array.isArray(message.message.content)) throw new Error("MessageParseError: content is no list");
  for (const block of message.message.content) {
    if (block.type === "thinking" && typeof block.signature !== "string") {
      throw new Error("MessageParseError: thinking lacks signature");
    }
  }
  return message;
}

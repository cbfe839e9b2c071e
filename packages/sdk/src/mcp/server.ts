// A small MCP server for tools written as functions. It serves any number of clients, each over its own transport, and
// keeps nothing between calls.

import { isObject } from "@keelson/protocol";
import { emitWarning } from "node:process";
import type { McpSdkServerConfigWithInstance } from "./config.ts";
import { checkArguments, toJsonSchema } from "./input-schema.ts";
import type { JSONRPCId, JSONRPCMessage, McpServerInstance, McpTransport } from "./shapes.ts";
import type { SdkMcpToolDefinition, ToolCallExtra } from "./tool.ts";

export interface CreateSdkMcpServerOptions {
  name: string;
  version?: string;
  /** Sent to the model together with the tools. */
  instructions?: string;
  tools?: SdkMcpToolDefinition<any>[];
  /** Offer all its tools from the start, never only on demand. */
  alwaysLoad?: boolean;
  /** Milliseconds a call may take. */
  timeout?: number;
}

/**
 * Creates a server for `mcpServers` whose tools run in this process. A tool whose schema has no JSON form is skipped.
 */
export function createSdkMcpServer(options: CreateSdkMcpServerOptions): McpSdkServerConfigWithInstance {
  return {
    type: "sdk",
    name: options.name,
    instance: toolServer(options),
    ...(options.timeout === undefined ? {} : { timeout: options.timeout }),
    ...(options.alwaysLoad === undefined ? {} : { alwaysLoad: options.alwaysLoad }),
  };
}

const PROTOCOL_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;

class RpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

interface ListedTool {
  readonly listed: Record<string, unknown>;
  readonly definition: SdkMcpToolDefinition<any>;
}

function toolServer(options: CreateSdkMcpServerOptions): McpServerInstance {
  const connected = new Set<McpTransport>();
  let prepared: Promise<ReadonlyMap<string, ListedTool>> | undefined;
  const tools = () => (prepared ??= listTools(options));

  return {
    async connect(transport) {
      const calls = new Map<JSONRPCId, AbortController>();
      connected.add(transport);
      const closed = () => {
        connected.delete(transport);
        for (const call of calls.values()) call.abort();
      };
      const heard = (message: JSONRPCMessage) => {
        if (message.method === "notifications/cancelled")
          calls.get(message.params?.["requestId"] as JSONRPCId)?.abort();
        if (message.method === undefined || message.id === undefined) return;
        void answer(message, message.id, calls, transport);
      };
      // A transport has one listener of each kind; it is not an event target.
      Object.assign(transport, { onclose: closed, onmessage: heard });
      await transport.start();
    },
    async close() {
      await Promise.all([...connected].map((transport) => transport.close()));
    },
  };

  async function answer(
    message: JSONRPCMessage,
    id: JSONRPCId,
    calls: Map<JSONRPCId, AbortController>,
    transport: McpTransport,
  ) {
    const call = new AbortController();
    calls.set(id, call);
    const reply: Partial<JSONRPCMessage> = await handle(message, {
      signal: call.signal,
      requestId: id,
      ...(isObject(message.params?.["_meta"]) ? { _meta: message.params["_meta"] } : {}),
      sendNotification: (notification) => transport.send({ jsonrpc: "2.0", ...notification }),
    }).then(
      (result) => ({ result }),
      (error: Error) => ({
        error: { code: error instanceof RpcError ? error.code : INTERNAL_ERROR, message: error.message },
      }),
    );
    calls.delete(id);
    await transport.send({ jsonrpc: "2.0", id, ...reply }).catch(() => undefined);
  }

  async function handle({ method, params = {} }: JSONRPCMessage, extra: ToolCallExtra): Promise<unknown> {
    switch (method) {
      case "initialize":
        return describe(options, params["protocolVersion"]);
      case "ping":
        return {};
      case "tools/list":
        return { tools: [...(await tools()).values()].map(({ listed }) => listed) };
      case "tools/call":
        return call((await tools()).get(String(params["name"])), params, extra);
      default:
        throw new RpcError(METHOD_NOT_FOUND, "Method not found");
    }
  }
}

function describe({ name, version = "1.0.0", instructions }: CreateSdkMcpServerOptions, wanted: unknown) {
  const known = typeof wanted === "string" && PROTOCOL_VERSIONS.includes(wanted);
  return {
    protocolVersion: known ? wanted : PROTOCOL_VERSIONS[0],
    capabilities: { tools: {} },
    serverInfo: { name, version },
    ...(instructions === undefined ? {} : { instructions }),
  };
}

async function call(tool: ListedTool | undefined, params: Record<string, unknown>, extra: ToolCallExtra) {
  if (tool === undefined) throw new RpcError(INVALID_PARAMS, `Tool ${String(params["name"])} not found`);
  const { name, inputSchema, handler } = tool.definition;
  const checked = await checkArguments(inputSchema, params["arguments"] ?? {});
  if (!checked.ok) {
    throw new RpcError(INVALID_PARAMS, `Invalid arguments for tool ${name}: ${checked.problems.join("; ")}`);
  }
  try {
    return await handler(checked.value as never, extra);
  } catch (error) {
    // The model should read what went wrong inside a tool; it is not a protocol error.
    return { content: [{ type: "text", text: error instanceof Error ? error.message : String(error) }], isError: true };
  }
}

async function listTools({ name: server, tools = [], alwaysLoad }: CreateSdkMcpServerOptions) {
  const listed = new Map<string, ListedTool>();
  for (const definition of tools) {
    const { name, description, inputSchema, annotations } = definition;
    const meta = { ...(alwaysLoad ? { "anthropic/alwaysLoad": true } : {}), ...definition._meta };
    try {
      listed.set(name, {
        definition,
        listed: {
          name,
          description,
          inputSchema: await toJsonSchema(inputSchema),
          ...(annotations === undefined ? {} : { annotations }),
          ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
        },
      });
    } catch (error) {
      emitWarning(
        `Tool "${name}" of "${server}" was skipped because its input has no JSON Schema: ${(error as Error).message}`,
      );
    }
  }
  return listed;
}

// An in-memory MCP server for tests: sends canned answers and records what it receives.

import { isObject, type JsonObject } from "@keelson/protocol";
import type { Transport } from "./client.ts";
import { sdkTransport } from "../transport/sdk.ts";

type Answer = JsonObject | ((params: Record<string, unknown>) => unknown);

export interface FakeServer {
  readonly transport: Transport;
  readonly heard: JsonObject[];
  /** The answer to each method; tests may change them while connected. */
  readonly answers: Record<string, Answer>;
}

export const NEVER = () => new Promise(() => undefined);

export const HELLO = {
  protocolVersion: "2025-11-25",
  serverInfo: { name: "calc", version: "1.0.0" },
  capabilities: { tools: {} },
};

export const ADD = {
  name: "add",
  description: "Adds two numbers",
  inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
};

/** Like an SDK client, it answers notifications too. */
export function fakeServer(answers: Record<string, Answer> = {}): FakeServer {
  const all: Record<string, Answer> = {
    initialize: HELLO,
    "tools/list": { tools: [ADD] },
    "tools/call": { content: [{ type: "text", text: "3" }] },
    ...answers,
  };
  const heard: JsonObject[] = [];
  const transport = sdkTransport(async (message) => {
    heard.push(message);
    const { method, id, params } = message;
    if (id === undefined) return { jsonrpc: "2.0", result: {}, id: 0 };
    const answer = all[String(method)];
    if (answer === undefined) return { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } };
    const result = typeof answer === "function" ? await answer(isObject(params) ? params : {}) : answer;
    return { jsonrpc: "2.0", id, result };
  });
  return { transport, heard, answers: all };
}

// The start of a connection: initializes a server and lists its tools. Answers are parsed and size-limited here.
// An invalid tool is skipped and reported; it does not fail the rest.

import { isObject, VERSION, type JsonObject } from "@keelson/protocol";
import type { Client, RequestLimit } from "./client.ts";
import { INTERNAL_ERROR, McpError } from "./rpc.ts";
import { readTool, type ToolFacts } from "./tool-facts.ts";

const PROTOCOL_VERSION = "2025-11-25";
const MAX_PAGES = 100;
const MAX_TOOLS = 1_000;
const MAX_PROBLEMS = 20;
const MAX_INSTRUCTIONS_LENGTH = 2_048;
const MAX_NAME_LENGTH = 200;

export interface ServerFacts {
  readonly serverInfo?: { readonly name: string; readonly version: string };
  readonly instructions?: string;
  readonly hasTools: boolean;
}

export interface ToolList {
  readonly tools: readonly ToolFacts[];
  /** One sentence for each thing that was skipped. */
  readonly problems: readonly string[];
}

export async function initializeServer(client: Client, limit: RequestLimit): Promise<ServerFacts> {
  const params = {
    protocolVersion: PROTOCOL_VERSION,
    capabilities: {},
    clientInfo: { name: "keelson", title: "Keelson", version: VERSION },
  };
  const facts = readInitializeResult(await client.request("initialize", params, limit));
  if (!facts) throw new McpError(INTERNAL_ERROR, "the result of initialize is not an object");
  client.notify("notifications/initialized");
  return facts;
}

/** Undefined if the result is not an object. */
export function readInitializeResult(result: unknown): ServerFacts | undefined {
  if (!isObject(result)) return undefined;
  const { serverInfo, instructions, capabilities } = result;
  return {
    hasTools: isObject(capabilities) && isObject(capabilities["tools"]),
    ...(isObject(serverInfo)
      ? { serverInfo: { name: clipText(serverInfo["name"]), version: clipText(serverInfo["version"]) } }
      : {}),
    ...(typeof instructions === "string" && instructions.trim() !== ""
      ? { instructions: instructions.slice(0, MAX_INSTRUCTIONS_LENGTH) }
      : {}),
  };
}

/** Fetches all pages, up to a limit, within one timeout. */
export async function listTools(client: Client, { timeoutMs, signal }: RequestLimit): Promise<ToolList> {
  const until = performance.now() + timeoutMs;
  const raw: unknown[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && raw.length <= MAX_TOOLS; page++) {
    const params: JsonObject = cursor === undefined ? {} : { cursor };
    const limit = { timeoutMs: Math.max(1, until - performance.now()), signal };
    const result = await client.request("tools/list", params, limit);
    if (!isObject(result) || !Array.isArray(result["tools"])) {
      throw new McpError(INTERNAL_ERROR, "the result of tools/list has no list of tools");
    }
    for (const tool of result["tools"].slice(0, MAX_TOOLS + 1)) raw.push(tool);
    const next: unknown = result["nextCursor"];
    // A cursor we have seen before would make us loop.
    if (typeof next !== "string" || next === "" || seen.has(next)) break;
    seen.add(next);
    cursor = next;
  }
  return readTools(raw);
}

/** If two tools have the same name, the first wins. */
export function readTools(raw: readonly unknown[]): ToolList {
  const tools = new Map<string, ToolFacts>();
  const problems: string[] = [];
  for (const value of raw.slice(0, MAX_TOOLS)) {
    const read = readTool(value);
    if ("problem" in read) problems.push(read.problem);
    else if (tools.has(read.name)) problems.push(`The tool "${read.name}" is listed twice; using the first`);
    else tools.set(read.name, read);
  }
  if (raw.length > MAX_TOOLS) problems.unshift(`Too many tools; using the first ${MAX_TOOLS}`);
  return { tools: [...tools.values()], problems: problems.slice(0, MAX_PROBLEMS) };
}

const clipText = (value: unknown) => (typeof value === "string" ? value.slice(0, MAX_NAME_LENGTH) : "");

// Servers inside the client: the handshake, their tools, their failures, and how they are steered.

import { expect } from "bun:test";
import { init, ofKind, result, toldOf, turn, type Scenario, type Server } from "../scenario.ts";

const ADD = "mcp__calc__add";
const NUMBERS = { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] };
const text = (value: string) => ({ content: [{ type: "text", text: value }] });
const CALC: Server = {
  instructions: "Use it for sums",
  tools: [
    { name: "add", description: "Adds two numbers", inputSchema: NUMBERS, gives: text("3") },
    { name: "fail", description: "Fails", inputSchema: { type: "object" }, gives: { throws: "out of ink" } },
    {
      name: "many",
      description: "Says much",
      inputSchema: { type: "object" },
      gives: {
        content: [
          { type: "text", text: "one" },
          { type: "text", text: "two" },
        ],
      },
    },
  ],
};
const call = (name: string, input: object = {}) => ({ calls: [{ name, input: input as never }] });
const methods = (seen: any) =>
  seen.asked.filter(({ subtype }: any) => subtype === "mcp_message").map(({ message }: any) => message.method);
const messageOf = (seen: any, method: string) =>
  seen.asked.find(({ message }: any) => message?.method === method)?.message;
const servers = { calc: CALC };

export const MCP: readonly Scenario[] = [
  {
    name: "a server of the client",
    options: { allowedTools: ["mcp__calc"] },
    answers: { servers },
    says: [call(ADD, { a: 1, b: 2 }), call("mcp__calc__fail"), call("mcp__calc__many"), { text: "three" }],
    steps: [...turn("1 + 2?"), { ask: { subtype: "mcp_status" }, as: "status" }],
    cases: [
      {
        name: "is greeted, told so, and asked for its tools",
        only: "pipe",
        see: (seen) => methods(seen).slice(0, 3),
        is: ["initialize", "notifications/initialized", "tools/list"],
      },
      {
        name: "is greeted in the protocol of the day, with no capabilities",
        only: "pipe",
        see: (seen) => messageOf(seen, "initialize"),
        is: {
          jsonrpc: "2.0",
          id: expect.anything(),
          method: "initialize",
          params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: expect.any(Object) },
        },
      },
      {
        name: "is told things without an id",
        only: "pipe",
        see: (seen) => "id" in messageOf(seen, "notifications/initialized"),
        is: false,
      },
      {
        name: "is told which call it serves",
        only: "pipe",
        see: (seen) => messageOf(seen, "tools/call").params,
        is: {
          name: "add",
          arguments: { a: 1, b: 2 },
          _meta: expect.objectContaining({ "claudecode/toolUseId": "call_1_1" }),
        },
      },
      {
        name: "is in init, connected",
        see: (seen) => init(seen).mcp_servers,
        is: [expect.objectContaining({ name: "calc", status: "connected" })],
      },
      {
        name: "has its tools in init",
        see: (seen) => init(seen).tools.filter((name: string) => name.startsWith("mcp__")),
        is: [ADD, "mcp__calc__fail", "mcp__calc__many"],
      },
      {
        name: "has its tools offered to the model",
        see: ({ requests }) => requests[0].tools.find(({ name }: any) => name === ADD),
        is: expect.objectContaining({
          name: ADD,
          description: "Adds two numbers",
          input_schema: expect.objectContaining(NUMBERS),
        }),
      },
      { name: "is called", see: ({ called }) => called[0], is: ["calc.add", { a: 1, b: 2 }] },
      { name: "is heard by the model", see: (seen) => toldOf(seen, 2), is: ["3"] },
      {
        name: "may fail, which the model hears",
        see: (seen) => toldOf(seen, 3),
        is: [expect.stringMatching(/^error: .*out of ink/)],
      },
      { name: "may answer in several blocks", see: (seen) => toldOf(seen, 4), is: ["onetwo"] },
      {
        name: "has its content as the result of the call",
        see: (seen) => ofKind(seen, "user")[0].tool_use_result,
        is: [{ type: "text", text: "3" }],
      },
      { name: "ends in a good result", see: (seen) => result(seen).result, is: "three" },
      {
        name: "is listed with its tools",
        about: { subtype: "mcp_status" },
        see: ({ replies }) => replies["status"],
        is: {
          subtype: "success",
          response: {
            mcpServers: [
              expect.objectContaining({
                name: "calc",
                status: "connected",
                serverInfo: { name: "calc", version: "1.0.0" },
                transport: "sdk",
                scope: "dynamic",
                source: "sdk",
                tools: expect.arrayContaining([expect.objectContaining({ name: "add" })]),
              }),
            ],
          },
        },
      },
      {
        name: "says how it wants to be used",
        see: ({ requests }) => JSON.stringify([requests[0].system, requests[0].messages]),
        is: expect.stringContaining("Use it for sums"),
      },
    ],
  },
  {
    name: "a tool of the client nobody allowed",
    answers: { servers, canUseTool: [{ behavior: "allow" }] },
    says: [call(ADD, { a: 1, b: 2 }), { text: "three" }],
    steps: turn("1 + 2?"),
    cases: [
      {
        name: "is asked about, with its server",
        see: ({ asked }) => asked.find(({ subtype }) => subtype === "can_use_tool"),
        is: expect.objectContaining({ tool_name: ADD, mcp_server: { name: "calc", source: expect.any(String) } }),
      },
      {
        name: "suggests a rule for the bare name",
        see: ({ asked }) => asked.find(({ subtype }) => subtype === "can_use_tool").permission_suggestions,
        is: expect.arrayContaining([
          { type: "addRules", rules: [{ toolName: ADD }], behavior: "allow", destination: "localSettings" },
        ]),
      },
      { name: "allowed, is called", see: ({ called }) => called.length, is: 1 },
    ],
  },
  {
    name: "servers switched off and on",
    options: { allowedTools: ["mcp__calc"] },
    answers: { servers },
    says: [{ text: "one" }, { text: "two" }, { text: "three" }],
    steps: [
      ...turn("one"),
      { ask: { subtype: "mcp_toggle", serverName: "calc", enabled: false }, as: "off" },
      { ask: { subtype: "mcp_status" }, as: "status" },
      ...turn("two"),
      { ask: { subtype: "mcp_toggle", serverName: "calc", enabled: true }, as: "on" },
      ...turn("three"),
      { ask: { subtype: "mcp_reconnect", serverName: "calc" }, as: "again" },
      { ask: { subtype: "set_mcp_permission_mode_override", serverName: "calc", mode: "default" }, as: "override" },
      { ask: { subtype: "mcp_read_resource", serverName: "calc", uri: "ui://x" }, as: "resource" },
      { ask: { subtype: "mcp_call", tool: ADD, arguments: { a: 1, b: 2 } }, as: "call" },
      {
        ask: {
          subtype: "mcp_message",
          server_name: "calc",
          message: { jsonrpc: "2.0", method: "notifications/tools/list_changed" },
        },
        as: "changed",
      },
    ],
    cases: [
      {
        name: "are acknowledged",
        about: { subtype: "mcp_toggle" },
        see: ({ replies }) => replies["off"],
        is: { subtype: "success" },
      },
      {
        name: "are listed as disabled",
        about: { subtype: "mcp_status" },
        see: ({ replies }) => replies["status"],
        is: {
          subtype: "success",
          response: { mcpServers: [expect.objectContaining({ name: "calc", status: "disabled" })] },
        },
      },
      {
        name: "take their tools with them and bring them back",
        see: ({ requests }) => requests.map(({ tools }) => tools.some(({ name }: any) => name === ADD)),
        is: [true, false, true],
      },
      {
        name: "are greeted anew",
        only: "pipe",
        see: (seen) => methods(seen).filter((method: string) => method === "initialize").length,
        is: 2,
      },
      {
        name: "cannot be connected anew, being the client's own",
        about: { subtype: "mcp_reconnect" },
        see: ({ replies }) => replies["again"].subtype,
        is: "error" as never,
        only: "pipe",
      },
      {
        name: "take an override of the mode",
        about: { subtype: "set_mcp_permission_mode_override" },
        see: ({ replies }) => replies["override"],
        is: { subtype: "success", response: { warning: expect.any(String) } },
      },
      {
        name: "have no resources",
        about: { subtype: "mcp_read_resource" },
        see: ({ replies }) => replies["resource"],
        is: {
          subtype: "error",
          error: expect.stringContaining("mcp_read_resource does not support SDK MCP servers"),
        },
      },
      {
        name: "are called directly",
        only: "pipe",
        see: ({ replies }) => replies["call"],
        is: { subtype: "success", response: text("3") },
      },
      {
        name: "take notifications",
        only: "pipe",
        see: ({ replies }) => replies["changed"],
        is: { subtype: "success" },
      },
    ],
  },
  {
    name: "a list of tools that changed",
    only: "pipe",
    answers: { servers },
    says: [{ text: "one" }, { text: "two" }],
    steps: [
      ...turn("one"),
      {
        ask: {
          subtype: "mcp_message",
          server_name: "calc",
          message: { jsonrpc: "2.0", method: "notifications/tools/list_changed" },
        },
        as: "changed",
      },
      ...turn("two"),
    ],
    cases: [
      {
        name: "is asked for again",
        see: (seen) => methods(seen).filter((method: string) => method === "tools/list").length,
        is: 2,
      },
    ],
  },
  {
    name: "a server that is announced and not there",
    only: "pipe",
    steps: [
      { ask: { subtype: "initialize", sdkMcpServers: ["ghost"] }, as: "initialize" },
      ...turn("hi"),
      { ask: { subtype: "mcp_status" }, as: "status" },
    ],
    says: [{ text: "hello" }],
    cases: [
      { name: "does not keep the run", see: (seen) => result(seen).result, is: "hello" },
      {
        name: "is listed as failed, with why",
        see: ({ replies }) => replies["status"].response.mcpServers,
        is: [expect.objectContaining({ name: "ghost", status: "failed", error: expect.stringContaining("ghost") })],
      },
    ],
  },
  {
    name: "servers replaced while the session runs",
    answers: { servers },
    says: [{ text: "one" }, { text: "two" }],
    steps: [
      ...turn("one"),
      { ask: { subtype: "mcp_set_servers", servers: { other: { command: "/bin/false", args: [] } } }, as: "set" },
      ...turn("two"),
    ],
    cases: [
      {
        name: "are told as added, removed and failed",
        about: { subtype: "mcp_set_servers" },
        see: ({ replies }) => replies["set"],
        is: {
          subtype: "success",
          response: { added: ["other"], removed: ["calc"], errors: { other: expect.any(String) } },
        },
      },
      {
        name: "leave nothing of those that went",
        see: ({ requests }) => requests.map(({ tools }) => tools.some(({ name }: any) => name.startsWith("mcp__"))),
        is: [true, false],
      },
    ],
  },
];

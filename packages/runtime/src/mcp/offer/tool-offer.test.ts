import { expect, test } from "bun:test";
import { defineTool, type Tool } from "@keelson/engine";
import type { McpServers } from "../servers/servers.ts";
import { ToolOffer } from "./tool-offer.ts";

function offer(tools: readonly Tool[], connecting: string[], { most = Infinity, alwaysLoad = true } = {}) {
  const server = { name: "s", definition: { alwaysLoad: false } };
  const offered = new Map(tools.map((tool) => [tool.name, { server, tool, facts: { alwaysLoad } }]));
  const servers = { version: 1, all: [], tools: () => tools, offered, connecting } as unknown as McpServers;
  const mode = { share: 0.1, most, builtIn: "none", references: false } as const;
  return new ToolOffer({ servers: () => servers, mode: () => mode, window: () => 200_000, save: async () => "" });
}

const tool = (at: number, length: number) =>
  defineTool<object, string>({
    name: `mcp__s__t${String(at).padStart(3, "0")}`,
    description: "x".repeat(length),
    input: { json: { type: "object" } },
    access: () => ({ kind: "external" }),
    run: async () => "",
    show: () => "",
  }) as Tool;

test("tools that ask not to be deferred are deferred beyond a fifth of the window", () => {
  const many = Array.from({ length: 100 }, (_, at) => tool(at, 50_000));
  const { tools, deferred } = offer(many, []).current([], []);
  expect([tools.map(({ name }) => name), deferred.length]).toEqual([
    ["ToolSearch", "mcp__s__t000", "mcp__s__t001", "mcp__s__t002"],
    97,
  ]);
  expect(offer(many.slice(0, 2), []).current([], []).deferred).toEqual([]);
});

test("more tools than a request may have are deferred, however small they are", () => {
  const small = Array.from({ length: 20 }, (_, at) => tool(at, 1));
  const names = (options: { most: number; alwaysLoad?: boolean }) =>
    offer(small, [], { alwaysLoad: false, ...options })
      .current([], [])
      .tools.map(({ name }) => name);
  expect([names({ most: 20 }).length, names({ most: 19 })]).toEqual([20, ["ToolSearch"]]);
  // With nothing to defer, there is nothing to search.
  expect(names({ most: 19, alwaysLoad: true })).not.toContain("ToolSearch");
});

test("servers that are connecting are announced once, and in a few words if they are many", () => {
  const connecting = ["a", "b"];
  const made = offer(
    Array.from({ length: 100 }, (_, at) => tool(at, 50_000)),
    connecting,
  );
  made.current([], []);
  expect(made.takeNotice({ isRequest: true })).toContain("still connecting: a, b.");
  connecting.shift();
  expect(made.takeNotice({ isRequest: true })).toBeUndefined();
  connecting.push(...Array.from({ length: 500 }, (_, at) => `${"n".repeat(190)}${at}`));
  expect(made.takeNotice({ isRequest: true })).toBe(
    "MCP servers that are still connecting: 500 servers. ToolSearch waits for them.",
  );
});

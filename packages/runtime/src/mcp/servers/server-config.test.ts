import { expect, test } from "bun:test";
import { serversFromConfig, serversFromInitialize } from "./server-config.ts";

const IN_CLIENT = {
  scope: "dynamic",
  source: "sdk",
  transport: "sdk",
  isRemote: false,
  alwaysLoad: false,
} as const;
const plain = (name: string) => ({ name, ...IN_CLIENT, policies: new Map() });

test("serversFromInitialize() reads names, timeouts, policies and manifests", () => {
  const manifest = { initializeResult: {}, toolsListResult: { tools: [] } };
  const tools = [
    { name: "add", permission_policy: "always_allow" },
    { name: "wipe", permission_policy: "always_deny" },
    { name: "odd", permission_policy: "sometimes" },
    { name: "silent" },
    7,
  ];
  expect(
    serversFromInitialize({
      sdkMcpServers: ["calc", "docs", "calc"],
      sdkMcpServerConfigs: { calc: { timeout: 5_000, tools }, nobody: {} },
      sdkMcpServerManifests: { docs: manifest },
    }),
  ).toEqual([
    {
      name: "calc",
      ...IN_CLIENT,
      timeoutMs: 5_000,
      policies: new Map([
        ["add", "always_allow"],
        ["wipe", "always_deny"],
      ]),
    },
    { ...plain("docs"), manifest },
  ]);
});

test("serversFromInitialize() ignores invalid values", () => {
  expect(serversFromInitialize({})).toEqual([]);
  expect(serversFromInitialize({ sdkMcpServers: "calc" })).toEqual([]);
  const odd = {
    sdkMcpServers: ["", 7, null, "constructor", "n".repeat(201)],
    sdkMcpServerConfigs: [],
    sdkMcpServerManifests: 1,
  };
  expect(serversFromInitialize(odd)).toEqual([plain("constructor")]);
  expect(
    serversFromInitialize({ sdkMcpServers: ["a"], sdkMcpServerConfigs: { a: { timeout: 10, tools: {} } } }),
  ).toEqual([plain("a")]);
  expect(serversFromInitialize({ sdkMcpServers: Array.from({ length: 1_000 }, (_, n) => `s${n}`) }).length).toBe(200);
});

test("serversFromConfig() separates servers of the client from others", () => {
  const servers = {
    calc: { type: "sdk", name: "calc" },
    files: { command: "x" },
    web: { type: "http", url: "" },
    odd: 7,
  };
  expect(serversFromConfig(servers)).toEqual({
    sdk: [plain("calc")],
    others: { files: { command: "x" }, web: { type: "http", url: "" }, odd: 7 },
  });
  expect(serversFromConfig(null)).toEqual({ sdk: [], others: {} });
});

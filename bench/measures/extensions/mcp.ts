// What a tool call over stdio costs with our client, next to the official client alone. Both call the same server, in
// turns.

import { join } from "node:path";
import { createServerPrograms } from "@keelson/host/servers";
import { McpConnection, stdioTransport } from "@keelson/mcp";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { repeat } from "../../repeat.ts";
import type { Stage } from "../../stage.ts";
import { median, type Row } from "../../table.ts";

const server = [process.execPath, join(import.meta.dir, "../../echo-server.mjs")] as const;
const CALLS = 200;

export async function mcp(stage: Stage): Promise<Row[]> {
  const own = await ownClient(stage);
  const official = await officialClient();
  try {
    const rounds = await repeat(stage.quick ? 5 : 30, async () => ({
      own: await callTime(own.call),
      official: await callTime(official.call),
    }));
    return [
      {
        what: "a tool call over stdio",
        unit: "ms",
        samples: rounds.map((round) => round.own),
        floor: rounds.map((round) => round.official),
        against: "the official client",
      },
    ];
  } finally {
    await own.end();
    await official.end();
  }
}

async function callTime(call: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < CALLS; n++) {
    const start = performance.now();
    await call();
    times.push(performance.now() - start);
  }
  return median(times);
}

async function ownClient(stage: Stage) {
  const programs = createServerPrograms();
  const [command, ...args] = server;
  const env = { PATH: process.env["PATH"] ?? "" };
  const connection = new McpConnection({
    name: "echo",
    timeoutMs: 30_000,
    callTimeoutMs: 30_000,
    transport: stdioTransport(() => programs.start({ command, args, cwd: stage.folder, env })),
  });
  await connection.open();
  if (connection.status !== "connected") throw new Error(connection.error);
  const { signal } = new AbortController();
  return {
    call: async () => connection.call("echo", { text: "a" }, { signal, toolUseId: "t" }),
    end: () => programs.close(),
  };
}

async function officialClient() {
  const client = new Client({ name: "bench", version: "1" });
  const [command, ...args] = server;
  await client.connect(new StdioClientTransport({ command, args }));
  await client.listTools();
  return {
    call: () => client.callTool({ name: "echo", arguments: { text: "a" } }),
    end: () => client.close(),
  };
}

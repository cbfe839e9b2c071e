// keelson mcp list and get: the servers of this folder, where each comes from, and its state.

import type { Snapshot } from "@keelson/config";
import { UsageError } from "../../args/invocation.ts";
import { printError, printWarning } from "../../process/process-io.ts";
import { hidden, isSecret } from "../config/text.ts";
import { snapshotFor, type Invoked } from "../group.ts";
import { shellWord, shortenFrom, visible } from "../permissions/words.ts";
import { healthOf, healthText, type Health, type HealthCheck } from "./health.ts";
import { argumentsIn, isUnused, kindOf, noSuchServer, SCOPE_TEXT, targetOf, type AnyServer } from "./words.ts";

export async function listServers(call: Invoked, check?: HealthCheck): Promise<number> {
  const { given, io } = call;
  if (call.words.length > 0) throw new UsageError("usage: keelson mcp list [--json]");
  const snapshot = await snapshotFor(call);
  const servers = allServers(snapshot);
  if (given.has("json")) {
    const shown = await Promise.all(servers.map(async (server) => asJson(server, await healthOf(server, check))));
    await io.write(`${JSON.stringify({ servers: shown }, null, 2)}\n`);
    return 0;
  }
  for (const warning of snapshot.warnings) if (/\bMCP server/.test(warning)) printWarning(io, visible(warning));
  if (servers.length === 0) {
    await io.write("No MCP servers; to add one, run: keelson mcp add <name> <command-or-url>\n");
    return 0;
  }
  if (check !== undefined) await io.write("Checking MCP server health...\n\n");
  const states = await Promise.all(servers.map((server) => healthOf(server, check)));
  const lines = servers.map((server, at) => {
    const target = targetOf(server);
    return `${visible(server.name)}: ${target && `${target} - `}${healthText(states[at]!, server)} [${server.scope}]`;
  });
  const failed = servers.find((server, at) => !isUnused(server) && states[at]!.status === "failed");
  await io.write(`${lines.join("\n")}\n`);
  // Not on standard output: programs read the lines there.
  if (failed) io.error(`To see more, run: keelson mcp test ${shellWord(visible(failed.name))}`);
  return 0;
}

export async function showServer(call: Invoked, check?: HealthCheck): Promise<number> {
  const { given, words, io } = call;
  const [name] = words;
  if (name === undefined || words.length > 1) throw new UsageError("usage: keelson mcp get <name> [--json]");
  const snapshot = await snapshotFor(call);
  const servers = allServers(snapshot);
  const server = servers.find((each) => each.name === name);
  if (server === undefined) return printError(io, noSuchServer(name, servers));
  const health = await healthOf(server, check);
  if (given.has("json")) await io.write(`${JSON.stringify(asJson(server, health), null, 2)}\n`);
  else await io.write(`${describe(server, health, snapshot).join("\n")}\n`);
  return 0;
}

/** Those in use first. */
function allServers({ mcp }: Snapshot): readonly AnyServer[] {
  return [...mcp.servers, ...mcp.unused];
}

function describe(server: AnyServer, health: Health, { cwd, home }: Snapshot): readonly string[] {
  const { name, scope, file, written } = server;
  const { command, args, env, url, headers } = written;
  const line = (label: string, value: unknown) => (typeof value === "string" ? [`  ${label}: ${visible(value)}`] : []);
  const removable = scope === "local" || scope === "project" || scope === "user";
  return [
    `${visible(name)}:`,
    `  Scope: ${SCOPE_TEXT[scope]}`,
    `  Status: ${healthText(health, server)}`,
    `  Type: ${kindOf(server)}`,
    ...line("Command", command),
    ...(Array.isArray(args) ? line("Args", argumentsIn(args).join(" ")) : []),
    ...line("URL", url),
    ...block("Environment", env, "="),
    ...block("Headers", headers, ": "),
    ...(!isUnused(server) && server.confined ? ["  Sandbox: on"] : []),
    ...(file === undefined ? [] : [`  File: ${shortenFrom(cwd, home)(file)}`]),
    ...(removable ? ["", `To remove it, run: keelson mcp remove ${shellWord(visible(name))} -s ${scope}`] : []),
  ];
}

function block(label: string, map: unknown, between: string): readonly string[] {
  if (typeof map !== "object" || map === null || Object.keys(map).length === 0) return [];
  const lines = Object.entries(map).map(
    ([name, value]) => `    ${visible(name)}${between}${visible(safe(name, value))}`,
  );
  return [`  ${label}:`, ...lines];
}

/** References to variables are safe to show; other values of headers and secret variables are not. */
function safe(name: string, value: unknown): string {
  const text = String(value);
  return isSecret({ key: `env.${name}` }) && !/^[\w\s]*\$\{\w+\}$/.test(text) ? hidden : text;
}

function asJson(server: AnyServer, { status, error }: Health) {
  const { name, scope, file, written } = server;
  const type = kindOf(server);
  const { command, args, url } = written;
  return { name, scope, file, type, command, args, url, status, ...(error === undefined ? {} : { error }) };
}

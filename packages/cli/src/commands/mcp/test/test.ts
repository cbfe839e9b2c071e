// keelson mcp test: connects to a server, lists what it offers, calls a tool if asked to, and shows how long each step
// took. For people who write or debug servers; no session, no model, no permission rules.

import type { Snapshot } from "@keelson/config";
import { joinedText, watchedTransport, type CallResult, type McpConnection } from "@keelson/mcp";
import type { ConfiguredMcpServer, JsonObject } from "@keelson/protocol";
import { connectTo, type CheckedConnection } from "@keelson/runtime/mcp";
import { jsonObjectIn } from "../../../args/flag-values.ts";
import { UsageError } from "../../../args/invocation.ts";
import { didYouMean } from "../../../args/nearest.ts";
import { handleSignals } from "../../../process/signals.ts";
import { snapshotFor, type Invoked } from "../../group.ts";
import { shellWord, visible } from "../../permissions/words.ts";
import { ProtocolLog } from "./test-log.ts";
import { reportJson, reportText } from "./test-report.ts";
import { kindOf, noSuchServer, targetOf } from "../words.ts";

/** What a test found out. */
export interface ServerReport {
  readonly name: string;
  readonly type: string;
  readonly target: string;
  readonly connected: boolean;
  readonly error?: string;
  readonly server?: { readonly name: string; readonly version: string };
  readonly protocolVersion?: string;
  readonly instructions?: string;
  readonly lists: readonly ListReport[];
  readonly call?: TestedCall;
  /** What is wrong with the server's answers, but did not stop the test. */
  readonly problems: readonly string[];
  /** The end of what a program wrote to standard error. */
  readonly stderr?: string;
  readonly connectMs: number;
}

export interface ListReport {
  readonly kind: "tools" | "resources" | "resource templates" | "prompts";
  readonly items: readonly { readonly name: string; readonly description?: string }[];
  readonly error?: string;
}

export interface TestedCall {
  readonly tool: string;
  readonly ms: number;
  readonly isError: boolean;
  readonly text: string;
  /** As the server sent it. */
  readonly content?: readonly unknown[];
  readonly structured?: unknown;
}

const USAGE = "usage: keelson mcp test <name> [--tool <tool> [--args <json>]] [--log] [--json]";

export async function testServer(invoked: Invoked): Promise<number> {
  const { given, words, io } = invoked;
  const [name] = words;
  if (name === undefined || words.length > 1) throw new UsageError(USAGE);
  const tool = given.text("tool");
  const input = inputFrom(given.text("args"), tool);
  const snapshot = await snapshotFor(invoked);
  const server = serverNamed(name, snapshot);

  const stop = new AbortController();
  const signals = handleSignals(io, { calm: false });
  signals.watchOver({ close: async () => stop.abort(new Error("Interrupted")) });
  const log = new ProtocolLog(() => performance.now());
  const report = await examine(server, {
    snapshot,
    log,
    call: tool === undefined ? undefined : { tool, input },
    signal: stop.signal,
  });
  signals.stop();

  await io.write(
    given.has("json") ? reportJson(report, log, given.has("log")) : reportText(report, log, given.has("log")),
  );
  const isFine = report.connected && report.lists.every(({ error }) => !error) && report.call?.isError !== true;
  return signals.code() ?? (isFine ? 0 : 1);
}

interface Examination {
  readonly snapshot: Snapshot;
  readonly log: ProtocolLog;
  readonly call: { readonly tool: string; readonly input: JsonObject } | undefined;
  readonly signal: AbortSignal;
}

async function examine(
  server: ConfiguredMcpServer,
  { snapshot, log, call, signal }: Examination,
): Promise<ServerReport> {
  const problems: string[] = [];
  const started = performance.now();
  await using opened = await connectTo(server, {
    snapshot,
    entrypoint: "cli",
    warn: (problem) => problems.push(problem),
    watch: (transport) => watchedTransport(transport, log.add),
  });
  const { connection } = opened;
  const about = {
    name: server.name,
    type: kindOf(server),
    target: targetOf(server),
    problems,
    connectMs: performance.now() - started,
  };
  if (connection.status !== "connected") {
    const error = connection.error ?? "The connection failed";
    return { ...about, connected: false, error, lists: [], ...(await stderrOf(opened)) };
  }
  const { serverInfo, protocolVersion, instructions } = connection.facts ?? {};
  return {
    ...about,
    connected: true,
    ...(serverInfo ? { server: serverInfo } : {}),
    ...(protocolVersion === undefined ? {} : { protocolVersion }),
    ...(instructions === undefined ? {} : { instructions }),
    lists: await listsOf(connection, signal),
    ...(call ? { call: await callTool(connection, call.tool, call.input, signal) } : {}),
    ...(await stderrOf(opened)),
  };
}

async function stderrOf(opened: CheckedConnection): Promise<Pick<ServerReport, "stderr">> {
  const text = (await opened.stderr()).trimEnd();
  return text === "" ? {} : { stderr: text };
}

async function listsOf(connection: McpConnection, signal: AbortSignal): Promise<ListReport[]> {
  const tools = connection.tools.map(({ facts: { name, description } }) => ({ name, description }));
  const { hasPrompts, hasResources } = connection.facts ?? {};
  return [
    { kind: "tools", items: tools },
    ...(hasResources
      ? [
          await list("resources", connection.listResources(signal), ({ uri }) => uri),
          await list("resource templates", connection.listResourceTemplates(signal), ({ uriTemplate }) => uriTemplate),
        ]
      : []),
    ...(hasPrompts ? [await list("prompts", connection.listPrompts(signal), ({ name }) => name)] : []),
  ];
}

async function list<T extends { readonly name: string; readonly description?: string }>(
  kind: ListReport["kind"],
  fetched: Promise<readonly T[]>,
  nameOf: (item: T) => string,
): Promise<ListReport> {
  try {
    const items = (await fetched).map((item) => {
      const name = nameOf(item);
      const description = item.description ?? item.name;
      return description === name ? { name } : { name, description };
    });
    return { kind, items };
  } catch (error) {
    return { kind, items: [], error: messageOf(error) };
  }
}

async function callTool(
  connection: McpConnection,
  tool: string,
  input: JsonObject,
  signal: AbortSignal,
): Promise<TestedCall> {
  const started = performance.now();
  const ended = (result: Omit<TestedCall, "tool" | "ms">) => ({ tool, ms: performance.now() - started, ...result });
  try {
    const result: CallResult | undefined = await connection.call(tool, input, { toolUseId: "test", signal });
    if (!result) {
      const names = connection.tools.map(({ facts }) => facts.name);
      return ended({ isError: true, text: `The server has no tool "${tool}"${didYouMean(tool, names)}` });
    }
    const { raw, structured, isError, blocks } = result;
    return ended({
      isError,
      text: joinedText(blocks),
      content: raw,
      ...(structured === undefined ? {} : { structured }),
    });
  } catch (error) {
    return ended({ isError: true, text: messageOf(error) });
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

function inputFrom(text: string | undefined, tool: string | undefined): JsonObject {
  if (text === undefined) return {};
  if (tool === undefined) throw new UsageError("--args requires --tool");
  return jsonObjectIn(text, "--args");
}

/** Throws UsageError if there is no such server, or if it may not be started. */
function serverNamed(name: string, { mcp }: Snapshot): ConfiguredMcpServer {
  const shown = visible(name);
  const found = mcp.servers.find((server) => server.name === name);
  if (found?.unapproved) {
    throw new UsageError(
      `MCP server "${shown}" comes with this folder and is not approved; to approve it, run: keelson mcp approve ${shellWord(shown)}`,
    );
  }
  if (found) return found;
  const unused = mcp.unused.find((server) => server.name === name);
  if (unused) throw new UsageError(`MCP server "${shown}" is not used: ${visible(unused.why)}`);
  throw new UsageError(noSuchServer(name, mcp.servers));
}

// keelson mcp add and add-json: write one server to the file of a scope.

import type { Snapshot } from "@keelson/config";
import type { EditScope } from "@keelson/config/mcp";
import { isObject, type JsonObject } from "@keelson/protocol";
import { jsonProblem } from "../../../args/flag-values.ts";
import { UsageError } from "../../../args/invocation.ts";
import { printError, printWarning } from "../../../process/process-io.ts";
import { snapshotFor, type Invoked } from "../../group.ts";
import { shellWord, visible } from "../../permissions/words.ts";
import { entryFrom } from "./entry.ts";
import { modifiedLine } from "../words.ts";

export async function add(call: Invoked): Promise<number> {
  const { name, entry } = entryFrom(call);
  const { type, command, args, url } = entry;
  const what =
    type === "stdio"
      ? `with command: ${[command, ...(args as readonly string[])].join(" ")}`
      : `with URL: ${String(url)}`;
  return write(call, name, entry, `Added ${kindText(type)} MCP server ${visible(name)} ${visible(what)} to`);
}

export async function addJson(call: Invoked): Promise<number> {
  const [name, text, ...more] = call.words;
  if (name === undefined || text === undefined || more.length > 0) {
    throw new UsageError("usage: keelson mcp add-json <name> '<json>' [-s <scope>]");
  }
  const entry = parsedEntry(text);
  const type = entry["type"] ?? "stdio";
  return write(call, name, entry, `Added ${kindText(type)} MCP server ${visible(name)} to`);
}

const kindText = (type: unknown) => (type === "stdio" ? "stdio" : visible(String(type)).toUpperCase());

function parsedEntry(text: string): JsonObject {
  let entry: unknown;
  try {
    entry = JSON.parse(text);
  } catch (error) {
    throw new UsageError(
      `invalid JSON: ${jsonProblem(error)}; write, for example, '{"command": "node", "args": ["server.js"]}'`,
    );
  }
  if (!isObject(entry)) throw new UsageError("the JSON must be an object with a command or a url");
  if (isObject(entry["mcpServers"]))
    throw new UsageError('the JSON must be one server, without "mcpServers" around it');
  return entry as JsonObject;
}

async function write(call: Invoked, name: string, entry: JsonObject, added: string): Promise<number> {
  const { given, io } = call;
  const scope = scopeOf(call);
  const { addServer, approveServer, definitionsOf } = await import("@keelson/config/mcp");
  const snapshot = await snapshotFor(call);
  const problem = await whyNot(name, entry, snapshot);
  if (problem !== undefined) return printError(io, `cannot add "${visible(name)}": ${problem}`);
  if (definitionsOf(name, snapshot).some((each) => each.scope === scope && isHere(each.file, scope, snapshot))) {
    const fix = `keelson mcp remove ${shellWord(visible(name))} -s ${scope}`;
    return printError(
      io,
      `MCP server "${visible(name)}" is already in the ${scope} config; to replace it, first run: ${fix}`,
    );
  }
  const written = await addServer(name, entry, scope, snapshot);
  if (!written.ok) return printError(io, written.problem);
  await io.write(`${added} ${scope} config\n${modifiedLine(written.file, scope, snapshot.cwd)}\n`);
  // The user who adds a server has seen it.
  const approved = scope === "project" ? await approveServer({ name, written: entry }, snapshot) : undefined;
  if (approved?.ok === false) printWarning(io, approved.problem);
  if (given.has("client-secret")) {
    printWarning(
      io,
      `the client secret is not stored; to sign in, run: MCP_CLIENT_SECRET=… keelson mcp login ${shellWord(visible(name))}`,
    );
  }
  await warnIfUnused(name, scope, snapshot, call);
  return 0;
}

export function scopeOf({ given }: Invoked): EditScope {
  return (given.text("scope") ?? "local") as EditScope;
}

/** A definition in a folder above does not keep one from being added here. */
function isHere(file: string, scope: EditScope, { cwd }: Snapshot): boolean {
  return scope !== "project" || file === `${cwd}/.mcp.json`;
}

/** Why a session would not use this server. */
export async function whyNot(
  name: string,
  entry: unknown,
  { env, settings, sources }: Snapshot,
): Promise<string | undefined> {
  const exclusive = sources.find(({ path, stamp }) => path.endsWith("managed-mcp.json") && stamp !== "absent");
  if (exclusive !== undefined) return `only the servers in ${exclusive.path} may be used; ask your administrator`;
  const { checkServer } = await import("@keelson/config/mcp");
  const checked = checkServer(name, entry, { scope: "local", env, settings });
  if (!("why" in checked)) return undefined;
  // With a variable that is not set yet, a URL may not be valid yet either.
  const { url } = isObject(entry) ? entry : {};
  if (checked.status === "failed" && typeof url === "string" && url.includes("${")) return undefined;
  return asClause(checked.why);
}

/** Without this, a server that another definition hides would look like a bug. */
async function warnIfUnused(name: string, scope: EditScope, snapshot: Snapshot, { io }: Invoked): Promise<void> {
  const { reload } = await import("@keelson/config");
  const { mcp } = reload(snapshot);
  const used = mcp.servers.find((each) => each.name === name);
  if (used?.scope === scope) return;
  const unused = mcp.unused.find((each) => each.name === name && each.scope === scope);
  if (unused !== undefined) printWarning(io, `"${visible(name)}" is not used here: ${visible(asClause(unused.why))}`);
  else if (used !== undefined) {
    printWarning(
      io,
      `"${visible(name)}" is not used here: the ${used.scope} config also defines it and takes precedence`,
    );
  }
}

/** A sentence as it reads after a colon. */
const asClause = (sentence: string) => sentence.charAt(0).toLowerCase() + sentence.slice(1);

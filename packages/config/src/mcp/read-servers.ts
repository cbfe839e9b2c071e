// The entries under `mcpServers` in a file or an object, not checked one by one. Whatever is wrong is reported.

import { isObject } from "@keelson/protocol";
import { printable } from "../check/page.ts";
import { readInstruction } from "../instructions/files/read-instruction.ts";
import { parseSettings } from "../scopes/read.ts";

export type RawServers = readonly (readonly [name: string, entry: unknown])[];

type Warn = (text: string) => void;

/** The servers of one file; undefined if there is no such file. Never throws. */
export function readServerFile(file: string, uid: number | undefined, warn: Warn): RawServers | undefined {
  const reading = readInstruction(file, { accepts: () => true, uid });
  if (reading.kind === "missing") return undefined;
  if (reading.kind !== "read") {
    warn(`${file}: no MCP servers are read, because ${reading.kind === "refused" ? reading.why : "it is elsewhere"}`);
    return [];
  }
  const parsed = parseSettings(reading.text);
  if (parsed.kind !== "read") {
    warn(`${file}: no MCP servers are read: the file is ${parsed.kind === "broken" ? parsed.problem : "empty"}`);
    return [];
  }
  const { mcpServers: servers } = parsed.value;
  if (servers === undefined) {
    const fix = fixFor(parsed.value);
    if (fix !== undefined) warn(`${file}: no MCP servers are read: ${fix}`);
  }
  return serversIn(servers, file, warn);
}

const MOST_SERVERS = 500;

export function serversIn(servers: unknown, file: string, warn: Warn): RawServers {
  if (servers === undefined) return [];
  if (!isObject(servers)) {
    warn(`${file}: "mcpServers" should be an object with the MCP servers by name; it is ignored`);
    return [];
  }
  const all = Object.entries(servers);
  if (all.length > MOST_SERVERS) {
    warn(`${file}: only the first ${MOST_SERVERS} of ${all.length} MCP servers are used; remove the others`);
  }
  return all.slice(0, MOST_SERVERS);
}

/** Other programs have servers under another key, or under none. Undefined if there is nothing like a server. */
function fixFor(settings: Readonly<Record<string, unknown>>): string | undefined {
  if (Object.values(settings).some(isEntry)) return 'put them inside "mcpServers"';
  const other = Object.entries(settings).find(([, value]) => isObject(value) && Object.values(value).some(isEntry));
  return other && `rename ${JSON.stringify(printable(other[0]))} to "mcpServers"`;
}

const isEntry = (value: unknown) => isObject(value) && ("command" in value || "url" in value);

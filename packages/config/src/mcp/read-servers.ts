// The entries under `mcpServers` in a file or an object, not checked one by one. Whatever is wrong is reported.

import { isObject } from "@keelson/protocol";
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
  if (servers === undefined && Object.values(parsed.value).some(isEntry)) {
    warn(`${file}: no MCP servers are read: put them inside "mcpServers"`);
  }
  return serversIn(servers, file, warn);
}

const MOST_SERVERS = 500;

export function serversIn(servers: unknown, file: string, warn: Warn): RawServers {
  if (servers === undefined) return [];
  if (!isObject(servers)) {
    warn(`${file}: mcpServers should be an object; it is ignored`);
    return [];
  }
  const all = Object.entries(servers);
  if (all.length > MOST_SERVERS) {
    warn(`${file}: only the first ${MOST_SERVERS} of ${all.length} MCP servers are used; remove the others`);
  }
  return all.slice(0, MOST_SERVERS);
}

const isEntry = (value: unknown) => isObject(value) && ("command" in value || "url" in value);

// Values of flags that few runs have: JSON, files that are read before a session is opened, and those that the lead of a
// team passes to its members. Throws UsageError.

import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { isObject, type JsonObject } from "@keelson/protocol";
import type { Arguments } from "./args.ts";
import { isNamed, UsageError, type Invocation } from "./invocation.ts";

/** When several configurations name the same server, the last one wins. */
export function serversFrom(configs: readonly string[], cwd: string): JsonObject {
  const all = configs.flatMap((config) => {
    const isFile = isNamed(config);
    const from = isFile ? `--mcp-config: ${resolve(cwd, config)}` : "--mcp-config";
    const servers = jsonObjectIn(isFile ? readNamed("--mcp-config", config, cwd) : config, from)["mcpServers"];
    if (isObject(servers)) return Object.entries(servers);
    throw new UsageError(`${from} must contain an object under "mcpServers": { "mcpServers": { "name": { … } } }`);
  });
  return Object.fromEntries(all) as JsonObject;
}

/** Each entry needs a description and a prompt. Throws UsageError: the user who typed it can fix it. */
export function agentsFrom(given: string, cwd: string): JsonObject {
  const isFile = isNamed(given);
  const from = isFile ? `--agents: ${resolve(cwd, given)}` : "--agents";
  const all = jsonObjectIn(isFile ? readNamed("--agents", given, cwd) : given, from);
  for (const [name, agent] of Object.entries(all)) {
    const isWhole = isObject(agent) && typeof agent["description"] === "string" && typeof agent["prompt"] === "string";
    if (!isWhole || name.trim() === "") {
      throw new UsageError(`${from}: "${name}" must be { "description": "…", "prompt": "…" }, with a name before it`);
    }
  }
  return all;
}

/** The object that a flag was given as JSON. Throws UsageError. */
export function jsonObjectIn(text: string, flag: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${flag} is not valid JSON: ${jsonProblem(error)}`);
  }
  if (!isObject(value)) throw new UsageError(`${flag} must be a JSON object`);
  return value as JsonObject;
}

/** Why a text is not JSON, without the parser's own heading. */
export const jsonProblem = (error: unknown) => (error as Error).message.replace(/^JSONC? Parse error: /, "");

export function schemaFrom(text: string, cwd: string): JsonObject {
  return jsonObjectIn(text.trim().startsWith("{") ? text : readNamed("--json-schema", text, cwd), "--json-schema");
}

const MAX_FILE = 10 * 1024 * 1024;

export function readNamed(flag: string, path: string, cwd: string): string {
  const file = resolve(cwd, path);
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) throw new UsageError(`${flag}: file not found: ${file}`);
  // Not only regular files: process substitution passes a pipe.
  if (stat.isDirectory()) throw new UsageError(`${flag}: ${file} is a directory`);
  if (stat.size > MAX_FILE) throw new UsageError(`${flag}: ${file} is larger than ${MAX_FILE / 1024 / 1024} MiB`);
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`${flag}: cannot read ${file} (${(error as NodeJS.ErrnoException).code})`);
  }
}

export function teammateOf(given: Arguments): Pick<Invocation, "teammate"> {
  const [agentId, name, team] = ["agent-id", "agent-name", "team-name"].map((flag) => given.text(flag));
  if (!agentId || !name || !team) {
    throw new UsageError("--agent-id, --agent-name and --team-name go together; the lead of a team passes them");
  }
  const color = given.text("agent-color");
  const leadSessionId = given.text("parent-session-id");
  const hooks = given.text("agent-hooks");
  return {
    teammate: {
      agentId,
      name,
      team,
      ...(color === undefined ? {} : { color }),
      ...(leadSessionId === undefined ? {} : { leadSessionId }),
      ...(hooks === undefined ? {} : { clientHooks: jsonObjectIn(hooks, "--agent-hooks") }),
      planModeRequired: given.has("plan-mode-required"),
    },
  };
}

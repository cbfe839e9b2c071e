// Checks a server that no file defines: from `mcp_set_servers`, an agent or a plugin, or one about to be written.

import {
  isObject,
  type ConfiguredMcpServer,
  type JsonObject,
  type McpScope,
  type Settings,
  type UnusedMcpServer,
} from "@keelson/protocol";
import type { Environment } from "../../env/env.ts";
import { checkLimitedEntry } from "./limited-entry.ts";
import { nameProblem } from "./names.ts";
import { isConfined, isServerAllowed } from "../choice/policy.ts";

export interface CheckServerOptions {
  readonly scope: McpScope;
  /** For `${VAR}`. */
  readonly env: Environment;
  readonly settings: Settings;
  /** False for what an untrusted folder defines, such as an agent of it. */
  readonly trusted?: boolean;
}

/** The server as it can be connected to, or why it is not used. */
export function checkServer(
  name: string,
  raw: unknown,
  { scope, env, settings, trusted = true }: CheckServerOptions,
): ConfiguredMcpServer | UnusedMcpServer {
  const written = isObject(raw) ? (raw as JsonObject) : {};
  const unused = (status: UnusedMcpServer["status"], why: string) => ({ name, scope, written, status, why });
  const badName = nameProblem(name);
  if (badName !== undefined) return unused("failed", `It ${badName}`);
  const { checked } = checkLimitedEntry(raw, { env, fromClient: scope === "dynamic", trusted });
  if ("problem" in checked) return unused("failed", `It ${checked.problem}`);
  const { config } = checked;
  const verdict = isServerAllowed({ name, config, written }, settings);
  if (!verdict.allowed) return unused("disabled", `The setting ${verdict.why}`);
  const confined = config.type === "stdio" && isConfined(name, scope, settings);
  return { name, scope, config, written, ...(confined ? { confined } : {}) };
}

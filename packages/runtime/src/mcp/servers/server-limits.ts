// The limits of MCP connections and calls, from the environment.

import { isVariableOn, switchIn } from "@keelson/protocol";
import type { NamedServer } from "./server-config.ts";

type Env = Readonly<Record<string, string | undefined>>;

const CALL_TIMEOUT_MS = 100_000_000;
const IDLE_REMOTE_MS = 5 * 60_000;
const IDLE_LOCAL_MS = 30 * 60_000;
const CHARACTERS_PER_TOKEN = 4;

/** How long a server may take to connect. */
export const connectTimeout = (env: Env) => positive(env["MCP_TIMEOUT"]) ?? 30_000;

const WAIT_MS = 2_000;
/** For servers of the command line and of clients, and for those that the user asked to wait for. */
const LONG_WAIT_MS = 10_000;
const BLOCKING_CONNECT_MS = 5_000;

/** How long requests wait for a server that is starting, from when it was started. */
export function startupWait(env: Env, { scope, alwaysLoad }: Pick<NamedServer, "scope" | "alwaysLoad">): number {
  const given = amount(env["CLAUDE_CODE_MCP_STARTUP_WAIT_MS"]);
  if (given !== undefined) return given;
  if (scope === "dynamic" || alwaysLoad) return LONG_WAIT_MS;
  const isBlocking = switchIn(env["MCP_CONNECTION_NONBLOCKING"]) === false;
  return isBlocking ? (amount(env["MCP_CONNECT_TIMEOUT_MS"]) ?? BLOCKING_CONNECT_MS) + WAIT_MS : WAIT_MS;
}

/** How long a call may take, unless the server's configuration sets a limit. */
export const callTimeout = (env: Env) => positive(env["MCP_TOOL_TIMEOUT"]) ?? CALL_TIMEOUT_MS;

/** How long a call may go without a sign of life. */
export const idleTimeout = (env: Env, isRemote: boolean) =>
  positive(env["CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT"]) ?? (isRemote ? IDLE_REMOTE_MS : IDLE_LOCAL_MS);

/** The longest result the model is shown, in characters; undefined for the usual limit. */
export function shownLimit(env: Env): number | undefined {
  const tokens = positive(env["MAX_MCP_OUTPUT_TOKENS"]);
  return tokens === undefined ? undefined : tokens * CHARACTERS_PER_TOKEN;
}

/** Whether programs inherit only what they need to run. */
export const inheritsBasicsOnly = (env: Env) => isVariableOn(env["CLAUDE_CODE_MCP_ALLOWLIST_ENV"]);

/** How many servers connect at the same time. */
export const localSlots = (env: Env) => positive(env["MCP_SERVER_CONNECTION_BATCH_SIZE"]) ?? 3;
export const remoteSlots = (env: Env) => positive(env["MCP_REMOTE_SERVER_CONNECTION_BATCH_SIZE"]) ?? 20;

/** A number of milliseconds that is not negative. */
function amount(text: string | undefined): number | undefined {
  const value = Number(text?.trim() || NaN);
  return value >= 0 ? value : undefined;
}

function positive(text: string | undefined): number | undefined {
  const value = Number(text ?? NaN);
  return value > 0 ? value : undefined;
}

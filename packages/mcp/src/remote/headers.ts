// The headers a configuration adds to every request: the written ones, and those that its helper command prints.

import type { HookRun, McpRemoteConfig } from "@keelson/protocol";
import { isObject } from "@keelson/protocol";
import { CONNECTION_CLOSED, McpError } from "../connection/rpc.ts";

/** Runs the helper as command hooks are run, with a time limit. `env` is added to its environment. */
export type RunHeadersHelper = (
  command: string,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<Pick<HookRun, "outcome" | "stdout" | "problem">>;

export interface HeaderSources {
  readonly name: string;
  /** Absent where helpers are not allowed to run. */
  readonly runHelper?: RunHeadersHelper;
}

const MAX_HEADERS = 100;
const MAX_HEADER_LENGTH = 16_384;

/** Runs the helper again with every call, so that a new connection gets new headers. Throws McpError. */
export async function remoteHeaders(
  { url, headers, headersHelper }: Pick<McpRemoteConfig, "url" | "headers" | "headersHelper">,
  { name, runHelper }: HeaderSources,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  const all =
    headersHelper === undefined || !runHelper ? {} : await helperHeaders(headersHelper, url, name, runHelper, signal);
  const merged = { ...headers, ...all };
  for (const [header, value] of Object.entries(merged)) {
    if (!isValidHeader(header, value)) throw failure(`The header ${JSON.stringify(header)} is not a valid HTTP header`);
  }
  return merged;
}

async function helperHeaders(
  command: string,
  url: string,
  name: string,
  runHelper: RunHeadersHelper,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  const env = { CLAUDE_CODE_MCP_SERVER_NAME: name, CLAUDE_CODE_MCP_SERVER_URL: url };
  const { outcome, stdout, problem } = await runHelper(command, env, signal);
  // Its output may contain a secret, so only how it ended is reported.
  if (outcome !== "success") throw failure(`headersHelper failed${problem === undefined ? "" : `: ${problem}`}`);
  const printed = parse(stdout);
  if (!isObject(printed) || !Object.values(printed).every((value) => typeof value === "string")) {
    throw failure("headersHelper must print a JSON object with strings as values");
  }
  if (Object.keys(printed).length > MAX_HEADERS)
    throw failure(`headersHelper printed more than ${MAX_HEADERS} headers`);
  return printed as Record<string, string>;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isValidHeader(name: string, value: string): boolean {
  if (value.length > MAX_HEADER_LENGTH) return false;
  try {
    return new Headers({ [name]: value }).has(name);
  } catch {
    return false;
  }
}

const failure = (message: string) => new McpError(CONNECTION_CLOSED, message);

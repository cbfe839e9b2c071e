// keelson auth: stores keys of model providers in the keychain, shows where keys come from, and removes stored ones.

import type { ProcessIO } from "../../process/process-io.ts";
import { runGroup, type Invoked } from "../group.ts";
import { AUTH_FLAGS, AUTH_OWN_FLAGS } from "./flags.ts";

const USAGE = `Usage: keelson auth <command> [provider] [options]

Store API keys of model providers on this machine instead of in environment variables. They are kept
in a private file, encrypted with a key from the system's keychain if there is one. The default
provider is anthropic. A key in an environment variable takes precedence over a stored one.

Commands:
  login    Store a key: type it, or pipe it in
  status   Show where the credentials of each provider come from
  logout   Remove a stored key

Examples:
  keelson auth login openai
  pass show openai | keelson auth login openai
  keelson auth status --json
  keelson auth logout openai
`;

/** Runs one of the commands and returns the exit code. */
export function runAuth(argv: readonly string[], io: ProcessIO): Promise<number> {
  const commands = {
    login: async (call: Invoked) => (await import("./login.ts")).authLogin(call),
    status: async (call: Invoked) => (await import("./status.ts")).authStatus(call),
    logout: async (call: Invoked) => (await import("./login.ts")).authLogout(call),
  };
  return runGroup({ name: "auth", usage: USAGE, flags: AUTH_FLAGS, own: AUTH_OWN_FLAGS, commands }, argv, io);
}

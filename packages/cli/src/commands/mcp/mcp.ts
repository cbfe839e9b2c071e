// keelson mcp: commands for MCP.

import type { Flag } from "../../args/flags.ts";
import type { ProcessIO } from "../../process-io.ts";
import { cwdFlag, withShared } from "../group-flags.ts";
import { runGroup } from "../group.ts";
import { SERVE_FLAGS, serveMcp } from "./serve.ts";

const USAGE = `Usage: keelson mcp <command> [options]

Commands:
  serve            Offer the built-in tools to another MCP client on standard input and output.
                   Rules, hooks and the permission mode apply to every call; a call that requires
                   approval is refused unless the client can ask its user

Examples:
  keelson mcp serve --allowedTools 'Bash(npm test)'
`;

const OWN: readonly Flag[] = [
  { name: "verbose", value: { kind: "none" }, group: "Output", help: "serve: Log every call to standard error" },
  cwdFlag(),
];

/** Runs one of the MCP commands and returns the exit code. */
export function runMcp(argv: readonly string[], io: ProcessIO): Promise<number> {
  const flags = withShared(OWN, "help", ...SERVE_FLAGS);
  return runGroup({ name: "mcp", usage: USAGE, flags, own: OWN, commands: { serve: serveMcp } }, argv, io);
}

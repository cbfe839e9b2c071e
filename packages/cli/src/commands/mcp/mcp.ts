// keelson mcp: MCP servers of this folder, and Keelson as an MCP server.

import { parseArguments } from "../../args/args.ts";
import { printError, type ProcessIO } from "../../process/process-io.ts";
import { runGroup, type Invoked } from "../group.ts";
import { MCP_FLAGS, MCP_OWN_FLAGS } from "./flags.ts";
import type { HealthCheck } from "./health.ts";

const USAGE = `Usage: keelson mcp <command> [options]

Add, list and remove MCP servers: programs or URLs that provide more tools.

Commands:
  add <name> <command-or-url> [args...]  Add a server; put -- before a command with options
  add-json <name> <json>                 Add a server given as JSON
  add-from-claude-desktop                Import servers from Claude Desktop
  list                                   List the servers of this folder
  get <name>                             Show one server
  remove <name>                          Remove a server
  approve <name>                         Approve a server of .mcp.json, as it is now
  reset-project-choices                  Forget approvals and rejections of .mcp.json servers
  login <name>                           Sign in to a remote server
  logout <name>                          Sign out of a remote server
  test <name>                            Connect to a server, list what it offers, call one of its
                                         tools, and show how long each step took
  serve                                  Offer the built-in tools to another MCP client on standard
                                         input and output; rules, hooks and the mode apply

Examples:
  keelson mcp add files -- npx -y @modelcontextprotocol/server-filesystem .
  keelson mcp add -t http docs https://docs.example.com/mcp -H 'Authorization: Bearer \${DOCS_TOKEN}'
  keelson mcp add-json build '{"command": "node", "args": ["build-server.js"]}' -s project
  keelson mcp login docs
  keelson mcp test files --tool list_directory --args '{"path": "."}' --log
  keelson mcp serve --allowedTools 'Bash(npm test)'
`;

type CheckFor = (call: Invoked) => Promise<HealthCheck | undefined>;

/** One row for each subcommand, loaded when it is called. */
const commands = (checkFor: CheckFor): Readonly<Record<string, (call: Invoked) => Promise<number>>> => ({
  add: async (call) => (await import("./edit/add.ts")).add(call),
  "add-json": async (call) => (await import("./edit/add.ts")).addJson(call),
  "add-from-claude-desktop": async (call) => (await import("./edit/desktop.ts")).addFromDesktop(call),
  list: async (call) => (await import("./list.ts")).listServers(call, await checkFor(call)),
  get: async (call) => (await import("./list.ts")).showServer(call, await checkFor(call)),
  remove: async (call) => (await import("./edit/remove.ts")).deleteServer(call),
  approve: async (call) => (await import("./choices.ts")).approve(call),
  "reset-project-choices": async (call) => (await import("./choices.ts")).resetProjectChoices(call),
  login: async (call) => (await import("./sign-in/login.ts")).login(call),
  logout: async (call) => (await import("./sign-in/logout.ts")).logout(call),
  test: async (call) => (await import("./test/test.ts")).testServer(call),
  serve: async (call) => (await import("./serve.ts")).serveMcp(call),
});

const connecting: CheckFor = async (call) => (await import("./health-check.ts")).healthCheck(call);

/** Runs one of the commands and returns the exit code. `checkFor` connects to servers. */
export async function runMcp(argv: readonly string[], io: ProcessIO, checkFor = connecting): Promise<number> {
  if (argv[0] === "add" && !argv.includes("--")) {
    const parsed = parseArguments(argv, MCP_FLAGS);
    if (!parsed.ok && parsed.error.startsWith("unknown option")) {
      return printError(
        io,
        `${parsed.error}\nIf it belongs to the command, put -- first: keelson mcp add <name> -- <command>`,
      );
    }
  }
  const group = { name: "mcp", usage: USAGE, flags: MCP_FLAGS, own: MCP_OWN_FLAGS, commands: commands(checkFor) };
  return runGroup(group, argv, io);
}

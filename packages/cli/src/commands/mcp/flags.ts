// The flags of `keelson mcp`.

import type { Flag } from "../../args/flags.ts";
import { cwdFlag, jsonFlag, withShared } from "../group-flags.ts";

export const SCOPES = ["local", "user", "project"] as const;

/** Flags that only `keelson mcp` has. */
export const MCP_OWN_FLAGS: readonly Flag[] = [
  {
    name: "scope",
    short: "s",
    value: { kind: "choice", label: "scope", choices: SCOPES },
    group: "Settings",
    help: "local (default), user (you, in all folders) or project (.mcp.json)",
  },
  {
    name: "transport",
    short: "t",
    value: { kind: "choice", label: "transport", choices: ["stdio", "http", "streamable-http", "sse", "ws"] },
    group: "Settings",
    help: "add: stdio (default: a program), http, sse or ws",
  },
  {
    name: "env",
    short: "e",
    value: { kind: "text", label: "KEY=value" },
    group: "Settings",
    help: "add: a variable for the program; repeatable",
  },
  {
    name: "header",
    short: "H",
    value: { kind: "text", label: "Name: value" },
    group: "Settings",
    help: "add: an HTTP header; repeatable",
  },
  { name: "client-id", value: { kind: "text", label: "id" }, group: "Settings", help: "add: the OAuth client ID" },
  { name: "client-secret", value: { kind: "none" }, group: "Settings", help: "add: the OAuth client has a secret" },
  {
    name: "callback-port",
    value: { kind: "integer", label: "port", least: 1 },
    group: "Settings",
    help: "add: the port of the OAuth redirect address, if it is fixed",
  },
  {
    name: "no-browser",
    value: { kind: "none" },
    group: "Settings",
    help: "login: print the address instead of opening a browser",
  },
  {
    name: "tool",
    value: { kind: "text", label: "name" },
    group: "Settings",
    help: "test: call this tool of the server",
  },
  { name: "args", value: { kind: "text", label: "json" }, group: "Settings", help: "test: the input of the tool" },
  { name: "log", value: { kind: "none" }, group: "Output", help: "test: show every message that was sent or received" },
  { name: "verbose", value: { kind: "none" }, group: "Output", help: "serve: log every call to standard error" },
  jsonFlag("list, get, test: print JSON"),
  cwdFlag(),
];

export const MCP_FLAGS = withShared(
  MCP_OWN_FLAGS,
  "help",
  "settings",
  "setting-sources",
  "managed-settings",
  "project-config-root",
  "require-trust",
  // of serve
  "debug",
  "debug-file",
  "allowedTools",
  "disallowedTools",
  "tools",
  "permission-mode",
  "dangerously-skip-permissions",
  "add-dir",
);

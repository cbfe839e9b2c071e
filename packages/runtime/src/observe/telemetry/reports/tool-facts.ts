// What telemetry says about a tool call. Pure.

import { extname } from "node:path";
import type { Permission } from "@keelson/engine";
import { isObject } from "@keelson/protocol";

/** Names of MCP tools tell what someone works with. */
export function reportedTool(name: string, withDetails: boolean): string {
  return name.startsWith("mcp__") && !withDetails ? "mcp_tool" : name;
}

/** Who decided, in the words of the events. */
export function decisionSource(permission: Permission): string {
  if (permission.behavior === "allow") return permission.source;
  if (permission.by === "person") return permission.interrupt ? "user_abort" : "user_reject";
  return permission.by === "hook" ? "hook" : "config";
}

const LANGUAGES: Readonly<Record<string, string>> = {
  c: "C",
  cpp: "C++",
  cs: "C#",
  css: "CSS",
  go: "Go",
  html: "HTML",
  java: "Java",
  js: "JavaScript",
  json: "JSON",
  jsx: "JavaScript",
  kt: "Kotlin",
  md: "Markdown",
  php: "PHP",
  py: "Python",
  rb: "Ruby",
  rs: "Rust",
  sh: "Shell",
  sql: "SQL",
  swift: "Swift",
  ts: "TypeScript",
  tsx: "TypeScript",
  yaml: "YAML",
  yml: "YAML",
};

export function editLanguage(input: unknown): string {
  const file = isObject(input) ? (input["file_path"] ?? input["notebook_path"]) : undefined;
  const ending = typeof file === "string" ? extname(file).slice(1).toLowerCase() : "";
  return Object.hasOwn(LANGUAGES, ending) ? LANGUAGES[ending]! : "unknown";
}

/** Facts about some tools, as JSON. */
export function parametersOf(tool: string, input: unknown): string | undefined {
  if (!isObject(input)) return undefined;
  const mcp = /^mcp__(.+?)__(.+)$/.exec(tool);
  if (mcp) return JSON.stringify({ mcp_server_name: mcp[1], mcp_tool_name: mcp[2] });
  if (tool === "Skill") return JSON.stringify({ skill_name: input["skill"] });
  if (tool !== "Bash") return undefined;
  const { command, timeout, description, dangerouslyDisableSandbox } = input;
  const full = typeof command === "string" ? command : "";
  const bash_command = full.trim().split(/\s+/, 1)[0];
  return JSON.stringify({ bash_command, full_command: full, timeout, description, dangerouslyDisableSandbox });
}

const LONGEST_VALUE = 512;

/** An input as JSON, with long strings cut. */
export function inputText(input: unknown, most = 4_096): string {
  const cut = (_: string, value: unknown) =>
    typeof value === "string" && most === 4_096 && value.length > LONGEST_VALUE
      ? `${value.slice(0, LONGEST_VALUE)}… [${value.length - LONGEST_VALUE} more characters]`
      : value;
  return (JSON.stringify(input, cut) ?? "").slice(0, most);
}

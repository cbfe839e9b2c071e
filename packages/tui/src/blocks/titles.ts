// How a call is named: the tool, and the one argument that says what it is about.

import type { JsonObject } from "@keelson/protocol";
import { cleanRow } from "../screen/clean.ts";
import { relativePath } from "./look.ts";
import { mcpNames } from "./tools.ts";

export interface CallTitle {
  readonly name: string;
  /** Cleaned; may have several lines. "" if there is nothing to say. */
  readonly about: string;
  /** What the model says that it does. */
  readonly note?: string;
}

interface Named {
  readonly name: string;
  readonly input: JsonObject;
  readonly display?: { readonly server: string; readonly tool: string };
}

export function titleOf({ name, input, display }: Named, cwd: string): CallTitle {
  const read = reader(input);
  const about = ABOUT[name]?.(read, cwd);
  if (name === "Agent" || name === "Task") {
    return { name: cleanRow(read("subagent_type") || "Agent"), about: cleanRow(about ?? "") };
  }
  const mcp = mcpNames(name);
  const shown = mcp ? `${display?.server ?? mcp.server} ${display?.tool ?? mcp.tool} (MCP)` : name;
  const note = name === "Bash" || name === "PowerShell" ? cleanRow(read("description")) : "";
  return {
    name: cleanRow(shown),
    about: cleanRow(about ?? listed(input)),
    ...(note === "" ? {} : { note }),
  };
}

type Read = (key: string) => string;

function reader(input: JsonObject): Read {
  return (key) => {
    const value = input[key];
    return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
  };
}

type About = (read: Read, cwd: string) => string;

const path =
  (key: string): About =>
  (read, cwd) =>
    relativePath(read(key), cwd);
const field =
  (key: string): About =>
  (read) =>
    read(key);
const place = (read: Read, cwd: string) => (read("path") === "" ? "" : ` in ${relativePath(read("path"), cwd)}`);

const ABOUT: Readonly<Record<string, About>> = {
  Bash: field("command"),
  PowerShell: field("command"),
  Read: (read, cwd) => relativePath(read("file_path"), cwd) + range(read),
  Write: path("file_path"),
  Edit: path("file_path"),
  MultiEdit: path("file_path"),
  NotebookEdit: path("notebook_path"),
  Glob: (read, cwd) => read("pattern") + place(read, cwd),
  Grep: (read, cwd) => `"${read("pattern")}"${place(read, cwd)}`,
  LS: path("path"),
  WebFetch: field("url"),
  WebSearch: (read) => `"${read("query")}"`,
  Agent: field("description"),
  Task: field("description"),
  Skill: (read) => [read("skill"), read("args")].filter((word) => word !== "").join(" "),
  ToolSearch: field("query"),
  TaskOutput: field("task_id"),
  TaskStop: (read) => read("task_id") || read("shell_id"),
  Monitor: field("description"),
  SendMessage: (read) => [read("to"), read("summary")].filter((word) => word !== "").join(": "),
  CronCreate: (read) => `${read("cron")}, ${read("prompt")}`,
  CronDelete: field("id"),
  CronList: () => "",
  ScheduleWakeup: (read) => `in ${read("delaySeconds")}s, ${read("reason")}`,
  EnterWorktree: (read) => read("name") || read("path"),
  ExitWorktree: field("action"),
  EnterPlanMode: () => "",
  ExitPlanMode: () => "",
  AskUserQuestion: () => "",
  LSP: (read, cwd) => `${read("operation")} ${relativePath(read("filePath"), cwd)}:${read("line")}`,
  ReadMcpResourceTool: field("uri"),
  ListMcpResourcesTool: field("server"),
  PushNotification: field("message"),
  ReportFindings: () => "",
  StructuredOutput: () => "",
};

function range(read: Read): string {
  const from = Number(read("offset") || 1);
  if (read("limit") === "") return read("offset") === "" ? "" : `, from line ${from}`;
  return `, lines ${from}–${from + Number(read("limit")) - 1}`;
}

/** For tools we know nothing about: their short arguments. */
function listed(input: JsonObject): string {
  return Object.entries(input)
    .map(([key, value]) => `${key}: ${typeof value === "string" ? JSON.stringify(short(value)) : shortJson(value)}`)
    .join(", ");
}

const short = (text: string) => (text.length > 80 ? `${text.slice(0, 79)}…` : text);
const shortJson = (value: unknown) => short(JSON.stringify(value) ?? "");

// How a call is named: the tool, and the one argument that says what it is about.

import type { JsonObject } from "@keelson/protocol";
import { clean, cleanRow } from "../../screen/clean.ts";
import { relativePath } from "../look.ts";
import { isAgentCall, isShellCall, mcpNames } from "./tools.ts";

interface CallTitle {
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

/** `whole`: nothing is shortened, and line breaks stay. */
export function titleOf({ name, input, display }: Named, cwd: string, { whole = false } = {}): CallTitle {
  const read = reader(input);
  const shown = whole ? clean : cleanRow;
  const about = shown(ABOUT[name]?.(read, cwd) ?? listed(input, whole));
  if (isAgentCall(name)) return { name: cleanRow(read("subagent_type") || "Agent"), about };
  const mcp = mcpNames(name);
  if (mcp)
    return { name: cleanRow(`${display?.server ?? mcp.server}: ${display?.tool ?? mcp.tool}`), about, note: "MCP" };
  const note = isShellCall(name) ? cleanRow(read("description")) : "";
  return { name: NAMES[name] ?? cleanRow(name), about, ...(note === "" ? {} : { note }) };
}

/** Tools that are better known by what they do. */
const NAMES: Readonly<Record<string, string>> = {
  AskUserQuestion: "Question",
  EnterPlanMode: "Plan mode",
  ExitPlanMode: "Plan",
};

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

/** For tools we know nothing about: their arguments, long ones shortened. */
function listed(input: JsonObject, whole: boolean): string {
  return Object.entries(input)
    .map(([key, value]) => {
      const text = JSON.stringify(value) ?? "";
      return `${key}: ${whole || text.length <= MOST_CHARS ? text : `${text.slice(0, MOST_CHARS)}…`}`;
    })
    .join(whole ? ",\n" : ", ");
}

const MOST_CHARS = 80;

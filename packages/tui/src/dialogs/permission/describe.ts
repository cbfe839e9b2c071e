// What a permission dialog says about each tool: a title, a question, and which inputs the rest of the dialog shows.

import type { PermissionAsk } from "@keelson/client";
import { isObject, type FilePatch } from "@keelson/protocol";
import { shortPath, showRow } from "../visible.ts";
import type { DialogContext } from "../dialog-context.ts";

export interface CallDescription {
  readonly title: string;
  readonly question: string;
  /** What the call is about in one row, shown first. */
  readonly subject?: string;
  /** Inputs that are shown some other way. */
  readonly told: readonly string[];
}

type Place = Pick<DialogContext, "cwd" | "home">;

export function describe(ask: PermissionAsk, place: Place): CallDescription {
  const { tool, input } = ask;
  const known = Object.hasOwn(TOOLS, tool) ? TOOLS[tool] : undefined;
  const text = (name: string) => (typeof input[name] === "string" ? (input[name] as string) : "");
  if (known) return known(text, place, ask.patch);
  const mcp = mcpName(ask);
  if (mcp) {
    const subject = `${mcp.tool} of MCP server ${mcp.server}`;
    return { title: "Use an MCP tool", question: `Allow ${mcp.tool}?`, subject, told: [] };
  }
  const name = showRow(tool);
  return { title: `Use ${name}`, question: `Allow ${name}?`, told: [] };
}

function mcpName({ tool, server }: PermissionAsk): { readonly server: string; readonly tool: string } | undefined {
  const [prefix, named, ...rest] = tool.split("__");
  if (prefix !== "mcp" || named === undefined) return undefined;
  const source = server?.source === undefined ? "" : ` (${server.source})`;
  return { server: showRow(`"${server?.name || named}"${source}`), tool: showRow(rest.join("__") || "any tool") };
}

/** Without a patch, the input is all that says what an edit does. */
type Describer = (text: (name: string) => string, place: Place, patch: FilePatch | undefined) => CallDescription;

const edit =
  (title: string, verb: string, told: readonly string[], field = "file_path"): Describer =>
  (text, place, patch) => {
    const path = shortPath(text(field), place);
    return { title, question: `${verb} ${path}?`, subject: path, told: patch ? [field, ...told] : [field] };
  };

const command =
  (title: string): Describer =>
  () => ({ title, question: "Run this command?", told: ["command", "description"] });

const TOOLS: Readonly<Record<string, Describer>> = {
  Bash: command("Run a shell command"),
  PowerShell: command("Run a PowerShell command"),
  Monitor: command("Run a command and watch its output"),
  Edit: edit("Edit a file", "Make this edit to", ["old_string", "new_string", "replace_all"]),
  MultiEdit: edit("Edit a file", "Make these edits to", ["edits"]),
  NotebookEdit: edit("Edit a notebook", "Make this edit to", ["new_source"], "notebook_path"),
  Write(text, place, patch) {
    const [title, verb] = patch?.isNew ? ["Create a file", "Create"] : ["Write a file", "Write"];
    return edit(title!, verb!, ["content"])(text, place, patch);
  },
  Read(text, place) {
    const path = shortPath(text("file_path"), place);
    return { title: "Read a file", question: "Allow reading it?", subject: path, told: ["file_path"] };
  },
  Glob: () => ({ title: "Look for files", question: "Allow this search?", told: [] }),
  Grep: () => ({ title: "Search in files", question: "Allow this search?", told: [] }),
  WebFetch(text) {
    const host = URL.parse(text("url"))?.host;
    const question = host ? `Fetch from ${showRow(host)}?` : "Fetch this page?";
    return { title: "Fetch a web page", question, subject: showRow(text("url")), told: ["url"] };
  },
  WebSearch: () => ({ title: "Search the web", question: "Allow this search?", told: [] }),
  Skill(text) {
    const question = `Use the skill ${showRow(text("skill"))}?`;
    return { title: "Use a skill", question, told: [] };
  },
  Agent: () => ({ title: "Start a subagent", question: "Start it?", told: [] }),
};

/** An input as readable JSON; texts of several lines keep their lines, set in so that none can pass for a field. */
export function readable(input: Readonly<Record<string, unknown>>, without: readonly string[]): string {
  const fields = Object.entries(input).filter(([name, value]) => value !== undefined && !without.includes(name));
  return fields.map(([name, value]) => `${JSON.stringify(name).slice(1, -1)}: ${valueText(value)}`).join("\n");
}

function valueText(value: unknown): string {
  if (typeof value !== "string") {
    const json = JSON.stringify(value, null, isObject(value) || Array.isArray(value) ? 2 : undefined);
    return json.replaceAll("\n", "\n  ");
  }
  return value.includes("\n") ? `\n    ${value.replaceAll("\n", "\n    ")}` : JSON.stringify(value);
}

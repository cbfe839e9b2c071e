// What is known about tools by their name: the names of all others are shown as they are.

/** Consecutive calls of these are one line. */
const READS = new Set(["Read", "Grep", "Glob", "LS", "NotebookRead"]);

/** The todo list shows what these do. */
const IN_TODO_LIST = new Set(["TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet"]);

export const isReadOnlyCall = (name: string) => READS.has(name);

export const isShownElsewhere = (name: string) => IN_TODO_LIST.has(name);

/** The tool that starts subagents has two names. */
export const isAgentCall = (name: string) => name === "Agent" || name === "Task";

export const isShellCall = (name: string) => name === "Bash" || name === "PowerShell";

/** `mcp__server__tool`. */
export function mcpNames(name: string): { readonly server: string; readonly tool: string } | undefined {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
  return server === undefined || tool === undefined ? undefined : { server, tool };
}

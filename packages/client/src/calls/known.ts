// The few tools whose calls mean more to a client than what they are called.

/** The tool that starts subagents has two names. Messages of a subagent name the call that started it. */
export const isAgentCall = (name: string) => name === "Agent" || name === "Task";

const TODO_TOOLS = new Set(["TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet"]);

/** Calls of the todo list: `SessionTodos` shows what they do. */
export const isTodoCall = (name: string) => TODO_TOOLS.has(name);

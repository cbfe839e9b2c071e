// The model's todo list, from TodoWrite or from the shared task list: what is done, what is being done, what is left.

import {
  blocksOf,
  isObject,
  isToolResult,
  isToolUse,
  type AssistantMessage,
  type JsonObject,
  type Outbound,
  type UserMessage,
} from "@keelson/protocol";
import { sign } from "../blocks/look.ts";
import { cleanRow } from "../screen/clean.ts";
import { fit } from "../screen/rows.ts";
import type { Frame, Rendered, View } from "../screen/view.ts";

interface Todo {
  /** Of the shared list. */
  readonly id?: string;
  readonly content: string;
  readonly activeForm?: string;
  readonly status: "pending" | "in_progress" | "completed";
  readonly owner?: string;
}

const TOOLS = new Set(["TodoWrite", "TaskCreate", "TaskUpdate", "TaskList"]);
/** More rows would push the conversation away. */
const MOST_ROWS = 10;

export class TodoView implements View {
  #todos: readonly Todo[] = [];
  readonly #calls = new Map<string, { readonly name: string; readonly input: JsonObject }>();

  take(message: Outbound): void {
    if (message.type === "assistant") this.#called(message as AssistantMessage);
    else if (message.type === "user") this.#answered(message as UserMessage);
    else if (message.type === "conversation_reset") this.#todos = [];
    // A list that is done has been seen.
    else if (message.type === "result" && !this.isOpen) this.#todos = [];
  }

  /** Whether something is left to do. */
  get isOpen(): boolean {
    return this.#todos.some(({ status }) => status !== "completed");
  }

  get isEmpty(): boolean {
    return this.#todos.length === 0;
  }

  /** What is being done, in words for a spinner. */
  get activity(): string | undefined {
    const current = this.#todos.find(({ status }) => status === "in_progress");
    return current && cleanRow(current.activeForm || current.content);
  }

  render({ columns, rows, theme }: Frame): Rendered {
    const most = Math.min(rows, MOST_ROWS);
    const { from, to } = windowAround(this.#todos, most);
    const shown = this.#todos.slice(from, to).map((todo) => {
      const mark = sign(MARKS[todo.status], theme);
      const owner = todo.owner === undefined ? "" : ` (${cleanRow(todo.owner)})`;
      const text = todo.status === "in_progress" ? todo.activeForm || todo.content : todo.content;
      const words = fit(cleanRow(text) + owner, Math.max(1, columns - mark.length - 3));
      if (todo.status === "completed") {
        return `  ${theme.paint("success", mark)} ${theme.paint("dim", theme.paint("strike", words))}`;
      }
      return todo.status === "in_progress"
        ? `  ${theme.paint("accent", mark)} ${theme.paint("bold", words)}`
        : `  ${mark} ${words}`;
    });
    const fold = (count: number, where: string) =>
      count === 0 ? [] : [theme.paint("dim", fit(`    … ${count} more ${where}`, columns))];
    const all = [...fold(from, "above"), ...shown, ...fold(this.#todos.length - to, "below")];
    return { rows: all.slice(0, rows) };
  }

  #called({ message, parent_tool_use_id: parent }: AssistantMessage): void {
    for (const { id, name, input } of blocksOf(message.content).filter(isToolUse)) {
      // A subagent has a todo list of its own, but shares the task list.
      if (TOOLS.has(name) && (name !== "TodoWrite" || parent === null)) this.#calls.set(id, { name, input });
    }
  }

  #answered({ message, tool_use_result: output }: UserMessage): void {
    for (const { tool_use_id: id, is_error, content } of blocksOf(message.content).filter(isToolResult)) {
      const call = this.#calls.get(id);
      this.#calls.delete(id);
      if (call === undefined || is_error) continue;
      const text = blocksOf(content)
        .map((block) => ("text" in block ? String(block.text) : ""))
        .join("");
      this.#apply(call.name, call.input, isObject(output) ? output : {}, text);
    }
  }

  #apply(name: string, input: JsonObject, output: Record<string, unknown>, text: string): void {
    if (name === "TodoWrite")
      this.#todos = listIn(input["todos"])
        .map(readTodo)
        .filter((todo) => todo.content !== "");
    else if (name === "TaskCreate") this.#create(input, output, text);
    else if (name === "TaskUpdate") this.#update(input, output);
    else if (Array.isArray(output["tasks"])) this.#synchronize(listIn(output["tasks"]));
  }

  #create(input: JsonObject, output: Record<string, unknown>, text: string): void {
    const task = isObject(output["task"]) ? output["task"] : {};
    const id = String(task["id"] ?? /#(\S+) created/.exec(text)?.[1] ?? "");
    if (id === "" || this.#todos.some((todo) => todo.id === id)) return;
    const todo = { ...readTodo({ ...input, content: input["subject"] ?? task["subject"] }), id };
    this.#todos = [...this.#todos.filter((each) => each.id !== undefined), todo];
  }

  #update(input: JsonObject, { success }: Record<string, unknown>): void {
    if (success === false) return;
    const { taskId, status, subject, activeForm, owner } = input;
    if (status === "deleted") this.#todos = this.#todos.filter(({ id }) => id !== String(taskId));
    this.#todos = this.#todos.map((todo) =>
      todo.id !== String(taskId)
        ? todo
        : {
            ...todo,
            ...(isStatus(status) ? { status } : {}),
            ...(typeof subject === "string" ? { content: subject } : {}),
            ...(typeof activeForm === "string" ? { activeForm } : {}),
            ...(typeof owner === "string" && owner !== "" ? { owner } : {}),
          },
    );
  }

  #synchronize(tasks: readonly Record<string, unknown>[]): void {
    const known = new Map(this.#todos.map((todo) => [todo.id, todo]));
    this.#todos = tasks.map((task) => ({
      ...known.get(String(task["id"])),
      ...readTodo({ ...task, content: task["subject"] }),
      id: String(task["id"]),
    }));
  }
}

const MARKS = { pending: "pending", in_progress: "active", completed: "complete" } as const;

const listIn = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? (value as unknown[]).filter(isObject) : [];

const isStatus = (value: unknown): value is Todo["status"] =>
  value === "pending" || value === "in_progress" || value === "completed";

function readTodo({ content, activeForm, status, owner }: Record<string, unknown>): Todo {
  return {
    content: typeof content === "string" ? content : "",
    status: isStatus(status) ? status : "pending",
    ...(typeof activeForm === "string" && activeForm !== "" ? { activeForm } : {}),
    ...(typeof owner === "string" && owner !== "" ? { owner } : {}),
  };
}

/** Which of a long list are shown: what is being done, a bit of what was done before it, and what comes next. */
function windowAround(todos: readonly Todo[], most: number): { from: number; to: number } {
  if (todos.length <= most) return { from: 0, to: todos.length };
  const active = todos.findIndex(({ status }) => status === "in_progress");
  const current = active === -1 ? todos.findIndex(({ status }) => status === "pending") : active;
  const at = current === -1 ? todos.length - 1 : current;
  const room = Math.max(1, most - 2);
  const from = Math.max(0, Math.min(at - Math.min(2, room - 1), todos.length - room));
  return { from, to: from + room };
}

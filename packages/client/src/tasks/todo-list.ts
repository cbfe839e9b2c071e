// The model's todo list, from TodoWrite or from the shared task list: what is done, what is being done, what is left.

import {
  isList,
  blocksOf,
  isObject,
  isToolResult,
  isToolUse,
  textOf,
  type AssistantMessage,
  type JsonObject,
  type Outbound,
  type UserMessage,
} from "@keelson/protocol";
import { isTodoCall } from "../calls/known.ts";

export interface TodoItem {
  /** Of the shared list. */
  readonly id?: string;
  readonly content: string;
  readonly activeForm?: string;
  readonly status: "pending" | "in_progress" | "completed";
  readonly owner?: string;
}

export class SessionTodos {
  #todos: readonly TodoItem[] = [];
  readonly #calls = new Map<string, { readonly name: string; readonly input: JsonObject }>();

  /** Another array whenever something changed. */
  get todos(): readonly TodoItem[] {
    return this.#todos;
  }

  /** Whether something is left to do. */
  get isOpen(): boolean {
    return this.#todos.some(({ status }) => status !== "completed");
  }

  take(message: Outbound): void {
    if (message.type === "assistant") this.#called(message);
    else if (message.type === "user") this.#answered(message);
    else if (message.type === "conversation_reset") this.#todos = [];
    // A list that is done has been seen.
    else if (message.type === "result" && !this.isOpen) this.#todos = [];
  }

  #called({ message, parent_tool_use_id: parent }: AssistantMessage): void {
    for (const { id, name, input } of blocksOf(message.content).filter(isToolUse)) {
      // A subagent has a todo list of its own, but shares the task list.
      if (isTodoCall(name) && (name !== "TodoWrite" || parent === null)) this.#calls.set(id, { name, input });
    }
  }

  #answered({ message, tool_use_result: output }: UserMessage): void {
    for (const { tool_use_id: id, is_error, content } of blocksOf(message.content).filter(isToolResult)) {
      const call = this.#calls.get(id);
      this.#calls.delete(id);
      if (call === undefined || is_error) continue;
      this.#apply(call.name, call.input, isObject(output) ? output : {}, textOf(content));
    }
  }

  #apply(name: string, input: JsonObject, output: Record<string, unknown>, text: string): void {
    if (name === "TodoWrite")
      this.#todos = listIn(input["todos"])
        .map(readTodo)
        .filter((todo) => todo.content !== "");
    else if (name === "TaskCreate") this.#create(input, output, text);
    else if (name === "TaskUpdate") this.#update(input, output);
    else if (isList(output["tasks"])) this.#synchronize(listIn(output["tasks"]));
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

const listIn = (value: unknown): Record<string, unknown>[] => (isList(value) ? value.filter(isObject) : []);

const isStatus = (value: unknown): value is TodoItem["status"] =>
  value === "pending" || value === "in_progress" || value === "completed";

function readTodo({ content, activeForm, status, owner }: Record<string, unknown>): TodoItem {
  return {
    content: typeof content === "string" ? content : "",
    status: isStatus(status) ? status : "pending",
    ...(typeof activeForm === "string" && activeForm !== "" ? { activeForm } : {}),
    ...(typeof owner === "string" && owner !== "" ? { owner } : {}),
  };
}

// The list that TodoWrite writes. A resumed conversation continues with its last one.

import { blocksOf, isObject, isToolUse, type ChainSubject } from "@keelson/protocol";
import type { Todo, TodoList } from "@keelson/tools";

export function newTodoList(list: readonly Todo[]): TodoList {
  return { get: () => list, set: (next) => void (list = next) };
}

/** What the last call of TodoWrite, or the last reminder of it, says. Empty if all of it is done. */
export function todosIn(entries: readonly ChainSubject[]): readonly Todo[] {
  for (const entry of entries.toReversed()) {
    const given = givenIn(entry);
    if (!Array.isArray(given)) continue;
    const todos = given.filter(isTodo);
    return todos.every(({ status }) => status === "completed") ? [] : todos;
  }
  return [];
}

function givenIn(entry: ChainSubject): unknown {
  if (entry.type === "attachment" && entry.attachment.type === "todo_reminder") return entry.attachment["content"];
  if (entry.type !== "assistant") return undefined;
  const call = blocksOf(entry.message.content).filter(isToolUse);
  return call.findLast(({ name }) => name === "TodoWrite")?.input["todos"];
}

function isTodo(value: unknown): value is Todo {
  if (!isObject(value)) return false;
  const { content, status, activeForm } = value;
  return [content, activeForm].every((text) => typeof text === "string") && STATUSES.has(status);
}

const STATUSES: ReadonlySet<unknown> = new Set(["pending", "in_progress", "completed"]);

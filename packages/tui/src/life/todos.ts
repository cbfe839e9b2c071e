// The model's todo list, from TodoWrite or from the shared task list: what is done, what is being done, what is left.

import { SessionTodos, type TodoItem } from "@keelson/client";
import type { Outbound } from "@keelson/protocol";
import { sign } from "../blocks/look.ts";
import { cleanRow } from "../screen/clean.ts";
import { fit } from "../screen/rows.ts";
import type { Frame, Rendered, View } from "../screen/view.ts";

/** More rows would push the conversation away. */
const MOST_ROWS = 10;

export class TodoView implements View {
  readonly #list = new SessionTodos();

  take(message: Outbound): void {
    this.#list.take(message);
  }

  /** Whether something is left to do. */
  get isOpen(): boolean {
    return this.#list.isOpen;
  }

  get isEmpty(): boolean {
    return this.#list.todos.length === 0;
  }

  /** What is being done, in words for a spinner. */
  get activity(): string | undefined {
    const current = this.#list.todos.find(({ status }) => status === "in_progress");
    return current && cleanRow(current.activeForm || current.content);
  }

  render({ columns, rows, theme }: Frame): Rendered {
    const most = Math.min(rows, MOST_ROWS);
    const { from, to } = windowAround(this.#list.todos, most);
    const shown = this.#list.todos.slice(from, to).map((todo) => {
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
    const all = [...fold(from, "above"), ...shown, ...fold(this.#list.todos.length - to, "below")];
    return { rows: all.slice(0, rows) };
  }
}

const MARKS = { pending: "pending", in_progress: "active", completed: "complete" } as const;

/** Which of a long list are shown: what is being done, a bit of what was done before it, and what comes next. */
function windowAround(todos: readonly TodoItem[], most: number): { from: number; to: number } {
  if (todos.length <= most) return { from: 0, to: todos.length };
  const active = todos.findIndex(({ status }) => status === "in_progress");
  const current = active === -1 ? todos.findIndex(({ status }) => status === "pending") : active;
  const at = current === -1 ? todos.length - 1 : current;
  const room = Math.max(1, most - 2);
  const from = Math.max(0, Math.min(at - Math.min(2, room - 1), todos.length - room));
  return { from, to: from + room };
}

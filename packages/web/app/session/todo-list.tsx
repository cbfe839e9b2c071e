// The todo list of the model, opened.

import type { TodoItem } from "@keelson/client";
import { showRow } from "../transcript/visible.ts";

/** An empty, a half-filled and a filled box. */
const MARKS = { pending: "☐", in_progress: "◧", completed: "☑" } as const;
const STATES = { pending: "open", in_progress: "being done", completed: "done" } as const;

interface TodoListProps {
  readonly todos: readonly (TodoItem & { readonly text: string })[];
}

export function TodoList({ todos }: TodoListProps) {
  return (
    <ul aria-label="To do">
      {todos.map(({ id, status, text, owner }, at) => (
        <li key={id ?? at} class={status}>
          <span aria-label={STATES[status]} role="img">
            {MARKS[status]}
          </span>{" "}
          {showRow(text)}
          {owner === undefined ? null : <span class="dim"> {showRow(owner)}</span>}
        </li>
      ))}
    </ul>
  );
}

// What the model has still to do, and what works for it in the background.

import type { BackgroundTask, TodoItem } from "@keelson/client";
import { showRow } from "../transcript/visible.ts";
import type { LiveSession } from "./live-session.ts";
import { Tasks } from "./tasks.tsx";

export function Todos({ session }: { readonly session: LiveSession }) {
  const todos = session.todos.value;
  const tasks = session.tasks.value;
  return (
    <details class="fold todos">
      <Summary todos={todos} tasks={tasks} />
      {todos.length === 0 ? null : <TodoList todos={todos.map((todo) => ({ ...todo, text: textOf(todo) }))} />}
      {tasks.length === 0 ? null : <Tasks session={session} tasks={tasks} />}
    </details>
  );
}

/** What is being done is called so. */
const textOf = ({ status, content, activeForm }: TodoItem) =>
  status === "in_progress" ? (activeForm ?? content) : content;

interface SummaryProps {
  readonly todos: readonly TodoItem[];
  readonly tasks: readonly BackgroundTask[];
}

/** One line: what is being done is cut where there is no room for it. */
function Summary({ todos, tasks }: SummaryProps) {
  const done = todos.filter(({ status }) => status === "completed").length;
  const current = todos.find(({ status }) => status === "in_progress");
  const parts = [
    ...(todos.length === 0 ? [] : [<span>{`${done} of ${todos.length} done`}</span>]),
    ...(current ? [<span class="current">{showRow(textOf(current))}</span>] : []),
    ...(tasks.length === 0 ? [] : [<span>{`${tasks.length} in the background`}</span>]),
  ];
  return <summary>{parts.flatMap((part, at) => (at === 0 ? [part] : [<span> · </span>, part]))}</summary>;
}

/** An empty, a half-filled and a filled box. */
const MARKS = { pending: "☐", in_progress: "◧", completed: "☑" } as const;
const STATES = { pending: "open", in_progress: "being done", completed: "done" } as const;

interface TodoListProps {
  readonly todos: readonly (TodoItem & { readonly text: string })[];
}

function TodoList({ todos }: TodoListProps) {
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

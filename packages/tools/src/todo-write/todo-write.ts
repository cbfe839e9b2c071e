// TodoWrite: the model's todo list. The caller stores the list.

import { array, defineTool, item, object, oneOf, string, type Infer, type Tool } from "@keelson/engine";
import { isObject, tryParse } from "@keelson/protocol";
import description from "./todo-write.md" with { type: "text" };

const todo = item({
  content: string("The task as an instruction: Run the tests", { minLength: 1 }),
  status: oneOf(["pending", "in_progress", "completed"]),
  activeForm: string("The task in progress: Running the tests", { minLength: 1 }),
});

export type Todo = Infer<typeof todo>;

/** Described once: every agent has its own instance. */
const schema = object({ todos: array(todo, "The whole list; it replaces the previous one") });

export interface TodoList {
  get(): readonly Todo[];
  set(todos: readonly Todo[]): void;
}

interface TodoWriteOutput {
  readonly oldTodos: readonly Todo[];
  readonly newTodos: readonly Todo[];
}

export function todoWriteTool(list: TodoList): Tool<{ todos: Todo[] }, TodoWriteOutput> {
  return defineTool({
    name: "TodoWrite",
    description,
    input: schema,

    repair(input) {
      const todos = typeof input.todos === "string" ? (tryParse(input.todos) ?? input.todos) : input.todos;
      if (!Array.isArray(todos)) return input;
      return { ...input, todos: todos.map(asTodo) };
    },

    kind: "think",
    access: () => ({ kind: "none" }),

    async run({ todos }) {
      const oldTodos = list.get();
      // Like the reference, clear a finished list, so the next one starts empty (todo-write.test.ts).
      list.set(todos.every(({ status }) => status === "completed") ? [] : todos);
      return { oldTodos, newTodos: todos };
    },

    show({ newTodos }) {
      const done = newTodos.filter(({ status }) => status === "completed").length;
      if (done === newTodos.length) return newTodos.length === 0 ? "The todo list is empty." : "All todos are done.";
      return `The todo list is updated: ${done} of ${newTodos.length} done.`;
    },
  });
}

const OTHER_STATUS: Readonly<Record<string, Todo["status"]>> = {
  todo: "pending",
  open: "pending",
  notstarted: "pending",
  active: "in_progress",
  doing: "in_progress",
  inprogress: "in_progress",
  complete: "completed",
  done: "completed",
  finished: "completed",
};

/** Older clients and models send an id and a priority; weaker ones other words, only a text, or no `activeForm`. */
function asTodo(value: unknown): unknown {
  if (typeof value === "string") return { content: value, status: "pending", activeForm: value };
  if (!isObject(value)) return value;
  const { id: _, priority: __, active_form: alias, task, title, ...rest } = value;
  const content = rest["content"] ?? task ?? title;
  const { status, activeForm = alias ?? content } = rest;
  const word = typeof status === "string" ? status.toLowerCase().replace(/[\s_-]/g, "") : "";
  const known = OTHER_STATUS[word] ?? status;
  return { ...rest, content, activeForm, ...(known === undefined ? {} : { status: known }) };
}

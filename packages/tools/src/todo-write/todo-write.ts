// TodoWrite: the model's todo list. The caller stores the list.

import { array, defineTool, item, object, oneOf, string, type Infer, type Tool } from "@keelson/engine";
import { isObject } from "@keelson/protocol";
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
      if (!Array.isArray(input.todos)) return input;
      return { ...input, todos: input.todos.map(withoutOldFields) };
    },

    kind: "think",
    access: () => ({ kind: "none" }),

    async run({ todos }) {
      const oldTodos = list.get();
      // Like the reference, clear a finished list, so the next one starts empty (todo-write.test.ts).
      list.set(todos.every(({ status }) => status === "completed") ? [] : todos);
      return { oldTodos, newTodos: todos };
    },

    show: () =>
      "Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress. Please proceed with the current tasks if applicable",
  });
}

/** Older clients and models send an id and a priority. */
function withoutOldFields(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { id: _, priority: __, ...rest } = value;
  return rest;
}

// TodoWrite: the model's own list of what is to be done. Where the list is kept is the caller's business.

import { array, defineTool, item, object, oneOf, string, type Infer, type Tool } from "@keelson/engine";
import { isObject } from "@keelson/protocol";
import description from "./todo-write.md" with { type: "text" };

const todo = item({
  content: string("What is to be done, as a command: Run the tests", { minLength: 1 }),
  status: oneOf(["pending", "in_progress", "completed"]),
  activeForm: string("The same while it happens: Running the tests", { minLength: 1 }),
});

export type Todo = Infer<typeof todo>;

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
    input: object({ todos: array(todo, "The whole list, replacing the last one") }),

    repair(input) {
      if (!Array.isArray(input.todos)) return input;
      return { ...input, todos: input.todos.map(withoutOldFields) };
    },

    access: () => ({ kind: "none" }),

    async run({ todos }) {
      const oldTodos = list.get();
      // A finished list is put away: the next one starts from nothing (observed).
      list.set(todos.every(({ status }) => status === "completed") ? [] : todos);
      return { oldTodos, newTodos: todos };
    },

    show: () =>
      "Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress. Please proceed with the current tasks if applicable",
  });
}

/** Older clients and models give items an id and a priority. */
function withoutOldFields(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { id: _, priority: __, ...rest } = value;
  return rest;
}

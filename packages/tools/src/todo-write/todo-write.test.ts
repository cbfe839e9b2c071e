import { expect, test } from "bun:test";
import { call, toolWorld } from "../tool-world.test-support.ts";
import { todoWriteTool, type Todo } from "./todo-write.ts";

test("a list replaces the previous one, and a finished list is cleared", async () => {
  using world = toolWorld();
  let kept: readonly Todo[] = [];
  const tool = todoWriteTool({ get: () => kept, set: (todos) => (kept = todos) });
  const open: Todo = { content: "Run", status: "in_progress", activeForm: "Running" };
  const done: Todo = { ...open, status: "completed" };

  expect(await call(tool, { todos: [open] }, world.context)).toEqual({ oldTodos: [], newTodos: [open] });
  expect(await call(tool, { todos: [done] }, world.context)).toEqual({ oldTodos: [open], newTodos: [done] });
  expect(await call(tool, { todos: [open, done] }, world.context)).toEqual({ oldTodos: [], newTodos: [open, done] });
  expect(tool.show({ oldTodos: [], newTodos: [] })).toStartWith("Todos have been modified successfully. Ensure that");
});

test("ids and priorities from older clients are dropped", () => {
  const tool = todoWriteTool({ get: () => [], set: () => {} });
  expect(tool.repair!({ todos: [{ id: "1", priority: "high", content: "a" }, 7] })).toEqual({
    todos: [{ content: "a" }, 7],
  });
});

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
  const shown = (...newTodos: Todo[]) => tool.show({ oldTodos: [], newTodos });
  expect([shown(open, done), shown(done), shown()]).toEqual([
    "The todo list is updated: 1 of 2 done.",
    "All todos are done.",
    "The todo list is empty.",
  ]);
});

test("ids and priorities from older clients are dropped, and a missing activeForm is the content", () => {
  const tool = todoWriteTool({ get: () => [], set: () => {} });
  expect(tool.repair!({ todos: [{ id: "1", priority: "high", content: "a" }, 7] })).toEqual({
    todos: [{ content: "a", activeForm: "a" }, 7],
  });
});

// The built-in tools of a session, joined to what they need.

import { assemblePool, structuredOutputTool, type Tool } from "@keelson/engine";
import type { Snapshot } from "@keelson/config";
import {
  bashTool,
  editTool,
  globTool,
  grepTool,
  notebookEditTool,
  readFileTool,
  taskOutputTool,
  taskStopTool,
  todoWriteTool,
  writeTool,
  type TaskTable,
  type Todo,
} from "@keelson/tools";

/** All of them, made once: some keep state for as long as the session lasts. */
export function builtInTools(tasks: TaskTable): Tool[] {
  let todos: readonly Todo[] = [];
  return [
    bashTool(),
    editTool,
    globTool,
    grepTool,
    notebookEditTool,
    readFileTool,
    taskOutputTool(tasks),
    taskStopTool(tasks),
    todoWriteTool({ get: () => todos, set: (next) => (todos = next) }),
    writeTool,
  ];
}

/** Those the model is offered: what flags choose and rules leave, and the caller's own way to answer. */
export function offeredTools(all: readonly Tool[], { flags, rules }: Pick<Snapshot, "flags" | "rules">): Tool[] {
  const { tools, jsonSchema } = flags;
  const only = tools === undefined || tools.includes("default") ? undefined : tools;
  const pool = assemblePool(all, { only, rules });
  return jsonSchema ? assemblePool([...pool, structuredOutputTool(jsonSchema)], { rules: [] }) : pool;
}

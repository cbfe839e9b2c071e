// The built-in tools of a session, joined to what they need.

import { assemblePool, structuredOutputTool, type Tool } from "@keelson/engine";
import type { Snapshot } from "@keelson/config";
import {
  bashTool,
  editTool,
  globTool,
  grepTool,
  notebookEditTool,
  readTool,
  taskOutputTool,
  taskStopTool,
  todoWriteTool,
  writeTool,
  type TaskTable,
  type Todo,
} from "@keelson/tools";

export function builtInTools(snapshot: Snapshot, tasks: TaskTable): Tool[] {
  let todos: readonly Todo[] = [];
  const all: Tool[] = [
    bashTool(),
    editTool,
    globTool,
    grepTool,
    notebookEditTool,
    readTool,
    taskOutputTool(tasks),
    taskStopTool(tasks),
    todoWriteTool({ get: () => todos, set: (next) => (todos = next) }),
    writeTool,
  ];
  const { tools, jsonSchema } = snapshot.flags;
  const only = tools === undefined || tools.includes("default") ? undefined : tools;
  const pool = assemblePool(all, { only, rules: snapshot.rules });
  return jsonSchema ? assemblePool([...pool, structuredOutputTool(jsonSchema)], { rules: [] }) : pool;
}

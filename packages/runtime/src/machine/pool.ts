// The built-in tools of a session, and which of them the model is offered.

import { newTodoList } from "../task-list/todos.ts";
import { otherListTools } from "../task-list/which-list.ts";
import { assemblePool, structuredOutputTool, type Tool } from "@keelson/engine";
import type { Snapshot } from "@keelson/config";
import { isVariableOn } from "@keelson/protocol";
import {
  bashTool,
  editTool,
  globTool,
  grepTool,
  monitorTool,
  notebookEditTool,
  createReadFileTool,
  taskOutputTool,
  taskStopTool,
  todoWriteTool,
  writeTool,
  type Monitors,
  type ReadToolOptions,
  type TaskTable,
  type TodoList,
} from "@keelson/tools";

/** All built-in tools. Made once per session, because some keep state. Without `monitors`, no one would read events. */
export function builtInTools(
  tasks: TaskTable,
  env: Snapshot["env"] = {},
  monitors?: Monitors,
  more: {
    readonly todos?: TodoList;
    readonly draw?: ReadToolOptions["draw"];
    readonly settings?: Pick<Snapshot["settings"], "attribution" | "includeGitInstructions">;
  } = {},
): Tool[] {
  const { todos = newTodoList([]), draw, settings = {} } = more;
  const { commit, pr } = settings.attribution ?? {};
  const isGitOff =
    settings.includeGitInstructions === false || isVariableOn(env["CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS"]);
  const background = backgroundAllowed(env);
  return [
    bashTool({ background, git: isGitOff ? false : { commit, pr } }),
    editTool,
    globTool,
    grepTool,
    ...(background && monitors ? [monitorTool(monitors)] : []),
    notebookEditTool,
    createReadFileTool({ draw }),
    taskOutputTool(tasks),
    taskStopTool(tasks),
    todoWriteTool(todos),
    writeTool,
  ];
}

export function backgroundAllowed(env: Snapshot["env"]): boolean {
  return !/^(?!0$|false$)./s.test(env["CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"] ?? "");
}

/** The tools the model is offered: chosen by flags, not denied by rules, and StructuredOutput if there is a schema. */
export function offeredTools(all: readonly Tool[], { flags, rules, env }: ToolChoice): Tool[] {
  const { tools, jsonSchema } = flags;
  const hidden = otherListTools(env).filter((name) => !tools?.includes(name));
  const listed = all.filter(({ name }) => !hidden.includes(name));
  const pool = assemblePool(listed, { only: onlyTools(flags), rules });
  return jsonSchema ? assemblePool([...pool, structuredOutputTool(jsonSchema)], { rules: [] }) : pool;
}

/** The tools that run if the model calls them, although it is not offered them. */
export function acceptedTools(all: readonly Tool[], { flags, rules, env }: ToolChoice): Tool[] {
  if (onlyTools(flags)) return [];
  return assemblePool(all, { only: otherListTools(env), rules });
}

type ToolChoice = Pick<Snapshot, "flags" | "rules" | "env">;

const onlyTools = ({ tools }: Snapshot["flags"]) => (tools?.includes("default") ? undefined : tools);

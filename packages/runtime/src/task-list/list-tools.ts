// The tools of the shared task list, joined with the list on disk and the hooks. Inside a team, the list is the team's.

import { ToolError, type Tool } from "@keelson/engine";
import type { HookEvent, HookOutcome, JsonObject } from "@keelson/protocol";
import {
  isFolderName,
  openTaskList,
  type ListedTask,
  type SharedTasks,
  type TaskChange,
} from "@keelson/store/task-list";
import {
  taskCreateTool,
  taskGetTool,
  taskListTool,
  taskUpdateTool,
  type TaskKeeper,
  type TaskUpdateInput,
  type TaskUpdateOutput,
} from "@keelson/tools/task-list";
import type { SharedListParts } from "./shared-list.ts";
import { summaries } from "./summaries.ts";

export function sharedListTools(parts: SharedListParts): Tool[] {
  const keeper = taskKeeper(parts);
  return [taskCreateTool(keeper), taskGetTool(keeper), taskListTool(keeper), taskUpdateTool(keeper)];
}

export function taskKeeper({ state, sessionId, team, fire, warn }: SharedListParts): TaskKeeper {
  const open = new Map<string, SharedTasks>();
  const list = (): SharedTasks => {
    const { env, configDir } = state.snapshot;
    const name = team()?.name ?? listName(env["CLAUDE_CODE_TASK_LIST_ID"], sessionId());
    const found = open.get(name) ?? openTaskList(configDir, name, warn);
    open.set(name, found);
    return found;
  };
  const fireAbout = (
    event: HookEvent,
    { id, subject, description }: Pick<ListedTask, "id" | "subject" | "description">,
  ) =>
    fire(event, {
      task_id: id,
      task_subject: subject,
      ...(description === "" ? {} : { task_description: description }),
      ...(team() ? { teammate_name: team()!.self, team_name: team()!.name } : {}),
    });

  const update = async ({ taskId, ...given }: TaskUpdateInput): Promise<TaskUpdateOutput> => {
    const tasks = list();
    const failed = (error = "Task not found") => ({ success: false, taskId, updatedFields: [], error });
    const before = tasks.get(taskId);
    if (!before) return failed();
    if (given.status === "completed" && before.status !== "completed") {
      const why = feedback("TaskCompleted", await fireAbout("TaskCompleted", before));
      if (why !== undefined) return failed(why);
    }
    const member = team();
    const changed = await tasks.change(taskId, given as TaskChange, member ? { by: member.self } : {});
    if (changed.kind === "absent") return failed();
    if (changed.kind === "refused") return failed(changed.why);
    const { task, fields, statusChange } = changed;
    const isNews = fields.includes("owner") && task.owner !== undefined && task.owner !== member?.self;
    if (isNews) member?.assigned(task, task.owner!);
    return { success: true, taskId, updatedFields: fields, ...(statusChange ? { statusChange } : {}) };
  };

  return {
    create: (draft) =>
      answering(async () => {
        const tasks = list();
        // The task appears when hooks have agreed, so no one takes one that goes away again.
        const id = await tasks.reserve();
        const why = feedback("TaskCreated", await fireAbout("TaskCreated", { id, ...draft }));
        if (why !== undefined) throw new ToolError(why);
        const { subject } = await tasks.add(id, { ...draft, metadata: draft.metadata as JsonObject });
        return { task: { id, subject } };
      }),
    get: (id) =>
      answering(async () => {
        const task = list().get(id);
        if (!task) return { task: null };
        const { subject, description, status, blocks, blockedBy } = task;
        return { task: { id, subject, description, status, blocks, blockedBy } };
      }),
    list: () => answering(async () => summaries(list().all())),
    update: (change) => answering(() => update(change)),
  };
}

/** One folder, whatever the variable says. */
function listName(chosen: string | undefined, own: string): string {
  if (!chosen) return own;
  if (!isFolderName(chosen)) {
    throw new ToolError(`CLAUDE_CODE_TASK_LIST_ID is "${chosen}"; use letters, digits, ".", "_" and "-"`);
  }
  return chosen;
}

/** Why hooks do not want it; undefined if they agree. */
function feedback(event: HookEvent, { verdict, reasons, stop }: HookOutcome): string | undefined {
  if (verdict !== "deny" && stop === undefined) return undefined;
  const said = reasons.join("\n") || stop || "Blocked by a hook";
  const heading = `${event} hook feedback:`;
  return said.startsWith(heading) ? said : `${heading}\n${said}`;
}

/** A folder that cannot be written is an answer for the model. */
async function answering<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ToolError || !(error instanceof Error)) throw error;
    throw new ToolError(`The task list cannot be used: ${error.message}`);
  }
}

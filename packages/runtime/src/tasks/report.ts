// Reports tasks: to clients on the stream, and to the model with a notice at its next safe boundary if no tool call
// waits for the task.

import type { Task, TaskUsage, TaskWatchers } from "@keelson/host";
import type { NewEntry, Signal, SystemSignal } from "@keelson/protocol";
import type { NoticeOptions } from "../stream/inbox.ts";
import { endNotice, reportOf, shownStatus } from "./notice.ts";

export type NotifyAboutTask = (task: Task, entry: NewEntry, options: NoticeOptions) => void;

export interface TaskAudience {
  show(signal: Signal): void | Promise<void>;
  /** Queues a notice for the model that started the task. */
  notify: NotifyAboutTask;
  list(): readonly Task[];
  newId(): string;
}

export function reportTasks(audience: TaskAudience): Required<TaskWatchers> {
  const system = (signal: SystemSignal) => void audience.show(signal);
  const changed = () =>
    system({ type: "system", subtype: "background_tasks_changed", tasks: tasksInBackground(audience) });
  return {
    started(task) {
      if (task.inBackground) changed();
      system({ type: "system", subtype: "task_started", ...startOf(task) });
    },
    progress: (task) => system({ type: "system", subtype: "task_progress", ...progressOf(task) }),
    updated(task, { inBackground, status }) {
      if (inBackground) changed();
      const patch = patchOf(task, status !== undefined);
      system({ type: "system", subtype: "task_updated", task_id: task.id, patch });
    },
    ended(task) {
      system({
        type: "system",
        subtype: "task_notification",
        task_id: task.id,
        tool_use_id: task.toolUseId,
        status: shownStatus(task),
        output_file: task.outputPath,
        summary: reportOf(task),
        ...(task.usage ? { usage: usageOf(task.usage) } : {}),
        ...ambientOf(task),
      });
      if (!task.inBackground) return;
      changed();
      if (task.endKnown) return;
      // A task that was stopped on purpose starts no run (test/sessions/run/background.test.ts).
      audience.notify(task, endNotice(task, audience.newId()), { wakes: task.status !== "killed" });
    },
  };
}

/** What runs in the background, for `background_tasks_changed`. What a tool call waits for is not listed. */
export function tasksInBackground({ list }: Pick<TaskAudience, "list">) {
  return list()
    .filter(({ status, inBackground }) => status === "running" && inBackground)
    .map((task) => ({
      task_id: task.id,
      task_type: task.type,
      ...agentOf(task),
      description: task.description,
      ...parentOf(task),
      ...ambientOf(task),
    }));
}

function startOf(task: Task) {
  const { id, toolUseId, description, inBackground, type, agent } = task;
  const prompt = agent?.prompt ?? task.prompt;
  return {
    task_id: id,
    tool_use_id: toolUseId,
    description,
    ...agentOf(task),
    is_backgrounded: inBackground,
    ...(agent ? { spawn_depth: agent.depth } : {}),
    ...parentOf(task),
    task_type: type,
    ...(prompt === undefined ? {} : { prompt }),
    ...ambientOf(task),
  };
}

function progressOf(task: Task) {
  const { id, toolUseId, description, progress } = task;
  const last = progress?.lastTool;
  return {
    task_id: id,
    tool_use_id: toolUseId,
    description: progress?.activity ?? description,
    ...agentOf(task),
    ...(progress ? { usage: usageOf(progress) } : {}),
    ...(last === undefined ? {} : { last_tool_name: last }),
  };
}

function patchOf({ status, endMs, error }: Task, isOver: boolean) {
  if (!isOver) return { is_backgrounded: true };
  return { status, end_time: endMs, ...(error === undefined ? {} : { error }) };
}

const ambientOf = ({ ambient }: Task) => (ambient ? { ambient } : {});

const agentOf = ({ agent }: Task) => (agent ? { subagent_type: agent.type } : {});

function parentOf({ agent, owner }: Task) {
  const parent = agent?.parentTaskId ?? owner;
  return parent === undefined ? {} : { parent_task_id: parent };
}

const usageOf = ({ totalTokens, toolUses, durationMs }: TaskUsage) => ({
  total_tokens: totalTokens,
  tool_uses: toolUses,
  duration_ms: durationMs,
});

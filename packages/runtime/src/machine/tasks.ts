// Reports background tasks: to clients on the stream, to the model with a notice at the next safe boundary.

import type { Task, TaskWatchers } from "@keelson/host";
import type { NewEntry, Signal } from "@keelson/protocol";

export interface TaskAudience {
  show(signal: Signal): void | Promise<void>;
  /** Queues a notice for the model. With `wakes`, it starts a run if none is active. */
  notify(entry: NewEntry, options: { readonly wakes: boolean }): void;
  running(): readonly Task[];
  newId(): string;
}

export function taskWatchers(audience: TaskAudience): TaskWatchers {
  const system = (subtype: string, more: Record<string, unknown>) =>
    void audience.show({ type: "system", subtype, ...more });
  const changed = () =>
    system("background_tasks_changed", {
      tasks: audience.running().map(({ id, type, description }) => ({ task_id: id, task_type: type, description })),
    });
  return {
    started({ id, toolUseId, description, type }) {
      changed();
      system("task_started", {
        task_id: id,
        tool_use_id: toolUseId,
        description,
        is_backgrounded: true,
        task_type: type,
      });
    },
    ended(task) {
      const status = task.status === "killed" ? "stopped" : task.status;
      const summary = summaryOf(task);
      system("task_updated", { task_id: task.id, patch: { status: task.status, end_time: task.endMs } });
      system("task_notification", {
        task_id: task.id,
        tool_use_id: task.toolUseId,
        status,
        output_file: task.outputPath,
        summary,
      });
      changed();
      // A task that was stopped on purpose starts no run (test/sessions/run/background.test.ts).
      audience.notify(notice(task, status, summary, audience.newId()), { wakes: task.status !== "killed" });
    },
  };
}

function summaryOf({ description, command, status, exitCode }: Task): string {
  const what = `Background command "${description || command}"`;
  if (status === "killed") return `${what} was stopped`;
  return `${what} ${status} (exit code ${exitCode ?? "unknown"})`;
}

function notice(task: Task, status: string, summary: string, uuid: string): NewEntry {
  const text = [
    "A background task has ended. This notice is automatic; the user did not write it.",
    "<task-notification>",
    `<task-id>${task.id}</task-id>`,
    `<tool-use-id>${task.toolUseId}</tool-use-id>`,
    `<output-file>${task.outputPath}</output-file>`,
    `<status>${status}</status>`,
    `<summary>${summary}</summary>`,
    "</task-notification>",
  ].join("\n");
  const content = [{ type: "text" as const, text: `<system-reminder>\n${text}\n</system-reminder>` }];
  return { type: "user", uuid, isMeta: true, message: { role: "user", content } };
}

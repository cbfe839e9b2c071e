// A wake-up while it waits: a row of the task table, so that it is listed and can be stopped like any task.

import type { TaskEnd, TaskHandle, Tasks } from "@keelson/host";
import type { PermissionMode, ScheduledWakeup } from "@keelson/protocol";

export interface Wakeup {
  /** The id of its task. */
  readonly id: string;
  readonly prompt: string;
  readonly permissionMode?: PermissionMode | undefined;
  end: TaskHandle["end"];
}

/** `stop` is called when someone stops the task. */
export function startWakeup(
  id: string,
  { prompt, reason, toolUseId, permissionMode }: Omit<ScheduledWakeup, "id" | "at">,
  { tasks, stop }: { readonly tasks: Tasks; stop(): void },
): Wakeup {
  const description = reason.trim() || (prompt.trim().split("\n", 1)[0] ?? "");
  const task = { id, type: "wakeup", description, toolUseId, outputPath: "", prompt, ambient: true } as const;
  const { end } = tasks.start(task, stop);
  return { id, prompt, permissionMode, end };
}

/** The prompt that follows tells the model. */
export const FIRED: TaskEnd = { status: "completed", summary: "The wake-up is due", endKnown: true };

/** Another one took its place, or the model or the session ended it. */
export const CANCELLED: TaskEnd = { status: "killed", summary: "The wake-up was cancelled", endKnown: true };

/** Someone stopped it by its id. */
export const STOPPED: TaskEnd = { status: "killed", summary: "The wake-up was stopped" };

// The reports about tasks, and monitors. What does the work is loaded when the first task starts.

import type { Tasks, TaskWatchers } from "@keelson/host";
import type { JsonObject } from "@keelson/protocol";
import type { Monitors } from "@keelson/tools";
import type { MonitorParts } from "./monitors.ts";
import type * as Report from "./report.ts";
import type { TaskAudience } from "./report.ts";

/** `require`, not `import()`: what happens to a task is reported at once, in order. */
export function taskWatchers(audience: TaskAudience): Required<TaskWatchers> {
  let watchers: Required<TaskWatchers> | undefined;
  const load = () => (watchers ??= (require("./report.ts") as typeof Report).reportTasks(audience));
  return {
    started: (task) => load().started(task),
    progress: (task) => load().progress(task),
    updated: (task, changed) => load().updated(task, changed),
    ended: (task) => load().ended(task),
  };
}

export function lazyMonitors(parts: MonitorParts): Monitors {
  let monitors: Promise<Monitors> | undefined;
  const load = async () => (await import("./monitors.ts")).openMonitors(parts);
  return { start: async (...args) => (await (monitors ??= load())).start(...args) };
}

/** The names of the kinds in hook input. */
const KINDS: Readonly<Record<string, string>> = { local_bash: "shell", local_agent: "subagent" };

/**
 * What Stop hooks get of the tasks that the session, or one agent, left running in the background. A wake-up is among the
 * scheduled jobs instead.
 */
export function taskHookFields(tasks: Tasks, owner?: string): JsonObject {
  const left = tasks
    .list()
    .filter((task) => task.status === "running" && task.inBackground && !task.ambient && task.owner === owner);
  return {
    background_tasks: left.map(({ id, type, status, description, command, agent }) => ({
      id,
      type: KINDS[type] ?? type,
      status,
      description: cutForHook(description),
      ...(command === undefined || type !== "local_bash" ? {} : { command: cutForHook(command) }),
      ...(agent === undefined ? {} : { agent_type: agent.type }),
    })),
  };
}

const LONGEST_IN_HOOK = 1_000;

/** A long text says by how much it was cut. */
export function cutForHook(text: string): string {
  const left = text.length - LONGEST_IN_HOOK;
  return left <= 0 ? text.toWellFormed() : `${text.slice(0, LONGEST_IN_HOOK).toWellFormed()}… [+${left} chars]`;
}

// The reports about tasks, and monitors. What does the work is loaded when the first task starts.

import type { TaskWatchers } from "@keelson/host";
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

// The reports about tasks. What writes them is loaded when the first task starts.

import type { TaskWatchers } from "@keelson/host";
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

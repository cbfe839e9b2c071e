// Background tasks and the subagents among them, as a compact tree above the prompt.

import { SessionTasks, type BackgroundTask } from "@keelson/client";
import type { Outbound } from "@keelson/protocol";
import { counted, elapsed, shortCount } from "../blocks/amounts.ts";
import { sign } from "../blocks/look.ts";
import { cleanRow } from "../screen/clean.ts";
import { fit } from "../screen/rows.ts";
import type { Frame, Rendered, View } from "../screen/view.ts";

const NAMES: Readonly<Record<string, string>> = { local_bash: "shell", local_agent: "agent", wakeup: "wake-up" };
const MOST_ROWS = 6;
const MINUTE_MS = 60_000;

export class BackgroundTasks implements View {
  readonly #list = new SessionTasks();

  take(message: Outbound, now: number): void {
    this.#list.take(message, now);
  }

  get tasks(): readonly BackgroundTask[] {
    return this.#list.tasks;
  }

  /** `2 shells, 1 agent`, or "" if nothing runs. */
  get summary(): string {
    const names = this.#list.tasks.map(({ type }) => NAMES[type] ?? "task");
    const counts = ["shell", "agent", "wake-up", "task"].map(
      (name) => [name, names.filter((each) => each === name).length] as const,
    );
    return counts
      .filter(([, count]) => count > 0)
      .map(([name, count]) => counted(count, name))
      .join(", ");
  }

  /** Milliseconds until a time in it changes: minutes only, because tasks also run while the session is idle. */
  nextChange(now: number): number | undefined {
    const due = this.#list.tasks.map(({ startedMs }) => MINUTE_MS - ((now - startedMs) % MINUTE_MS));
    return due.length === 0 ? undefined : Math.min(...due);
  }

  render({ columns, rows, theme, now }: Frame): Rendered {
    const ordered = inTree(this.#list.tasks);
    const most = Math.min(rows, MOST_ROWS);
    const shown = ordered.length > most ? ordered.slice(0, Math.max(0, most - 1)) : ordered;
    const lines = shown.map(({ task, depth }, index) => {
      const isLast = index === ordered.length - 1;
      const branch = "  ".repeat(depth) + sign(isLast ? "lastBranch" : "branch", theme);
      const used = [
        minutes(now - task.startedMs),
        task.calls > 0 ? counted(task.calls, "call") : "",
        task.tokens > 0 ? `${shortCount(task.tokens)} tokens` : "",
        task.lastTool === undefined ? "" : cleanRow(task.lastTool),
      ].filter((part) => part !== "");
      const name = task.agent === undefined ? "" : `${cleanRow(task.agent)}: `;
      const details = used.length === 0 ? "" : ` ${theme.paint("dim", used.join(" · "))}`;
      return fit(`  ${branch} ${name}${cleanRow(task.description)}${details}`, columns);
    });
    const hidden = ordered.length - shown.length;
    if (hidden > 0 && most > 0) {
      lines.push(theme.paint("dim", fit(`  ${sign("lastBranch", theme)} ${hidden} more in the background`, columns)));
    }
    return { rows: lines.slice(0, rows) };
  }
}

function minutes(ms: number): string {
  if (ms < MINUTE_MS) return "";
  const count = Math.floor(ms / MINUTE_MS);
  return count < 60 ? `${count}m` : elapsed(ms);
}

/** Tasks below the one that started them. */
function inTree(
  tasks: readonly BackgroundTask[],
  parent?: string,
  depth = 0,
): { task: BackgroundTask; depth: number }[] {
  const ids = new Set(tasks.map(({ id }) => id));
  const here = tasks.filter((task) =>
    parent === undefined ? task.parent === undefined || !ids.has(task.parent) : task.parent === parent,
  );
  return here.flatMap((task) => [{ task, depth }, ...(depth > 3 ? [] : inTree(tasks, task.id, depth + 1))]);
}

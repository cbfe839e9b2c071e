// Background tasks and the subagents among them, as a compact tree above the prompt.

import type { Outbound, SystemMessages } from "@keelson/protocol";
import { counted, elapsed, shortCount } from "../blocks/amounts.ts";
import { sign } from "../blocks/look.ts";
import { cleanRow } from "../screen/clean.ts";
import { fit } from "../screen/rows.ts";
import type { Frame, Rendered, View } from "../screen/view.ts";

interface BackgroundTask {
  readonly id: string;
  readonly type: string;
  readonly description: string;
  readonly agent?: string;
  /** What an agent was asked, or a wake-up will ask. */
  readonly prompt?: string;
  readonly parent?: string;
  readonly startedMs: number;
  calls: number;
  tokens: number;
  lastTool?: string;
}

const NAMES: Readonly<Record<string, string>> = { local_bash: "shell", local_agent: "agent", wakeup: "wake-up" };
const MOST_ROWS = 6;
const MINUTE_MS = 60_000;

export class BackgroundTasks implements View {
  #listed: readonly BackgroundTask[] = [];
  /** Tasks that were started, listed or not, by id. */
  readonly #known = new Map<string, BackgroundTask>();

  take(message: Outbound, now: number): void {
    if (message.type !== "system") return;
    switch (message.subtype) {
      case "background_tasks_changed":
        this.#list(message.tasks, now);
        break;
      case "task_started":
        this.#start(message, now);
        break;
      case "task_progress":
        this.#progress(message);
        break;
      case "task_notification":
        this.#known.delete(message.task_id);
        this.#listed = this.#listed.filter(({ id }) => id !== message.task_id);
        break;
      default:
        break;
    }
  }

  get tasks(): readonly BackgroundTask[] {
    return this.#listed;
  }

  /** `2 shells, 1 agent`, or "" if nothing runs. */
  get summary(): string {
    const names = this.#listed.map(({ type }) => NAMES[type] ?? "task");
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
    const due = this.#listed.map(({ startedMs }) => MINUTE_MS - ((now - startedMs) % MINUTE_MS));
    return due.length === 0 ? undefined : Math.min(...due);
  }

  render({ columns, rows, theme, now }: Frame): Rendered {
    const ordered = inTree(this.#listed);
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

  #list(tasks: SystemMessages["background_tasks_changed"]["tasks"], now: number): void {
    this.#listed = tasks.map((task) => this.#known.get(task.task_id) ?? this.#know(task, now));
  }

  /** Says more than the list, which may have come before. */
  #start(fields: SystemMessages["task_started"], now: number): void {
    const { task_id: id } = fields;
    const startedMs = this.#known.get(id)?.startedMs ?? now;
    const task = this.#know(fields, startedMs);
    this.#listed = this.#listed.map((each) => (each.id === id ? task : each));
  }

  #know(fields: SystemMessages["task_started"], now: number): BackgroundTask {
    const { subagent_type: agent, prompt, parent_task_id: parent } = fields;
    const task: BackgroundTask = {
      id: fields.task_id,
      type: fields.task_type ?? "",
      description: fields.description,
      startedMs: now,
      calls: 0,
      tokens: 0,
      ...(agent === undefined ? {} : { agent }),
      ...(prompt === undefined ? {} : { prompt }),
      ...(parent === undefined ? {} : { parent }),
    };
    this.#known.set(task.id, task);
    return task;
  }

  #progress({ task_id: id, usage, last_tool_name: tool }: SystemMessages["task_progress"]): void {
    const task = this.#known.get(id);
    if (task === undefined) return;
    if (usage) {
      task.tokens = usage.total_tokens;
      task.calls = usage.tool_uses;
    }
    if (tool !== undefined) task.lastTool = tool;
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

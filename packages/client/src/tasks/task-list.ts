// Background tasks and the subagents among them, as the session lists them.

import type { Outbound, SystemMessages } from "@keelson/protocol";

export interface BackgroundTask {
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

export class SessionTasks {
  #listed: readonly BackgroundTask[] = [];
  /** Tasks that were started, listed or not, by id. */
  readonly #known = new Map<string, BackgroundTask>();

  get tasks(): readonly BackgroundTask[] {
    return this.#listed;
  }

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

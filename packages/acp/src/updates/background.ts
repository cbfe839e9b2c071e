// What calls left running when they ended. Their tasks are told of in the call that started them.

import type { SystemMessage } from "@keelson/protocol";
import type { ToolCallContent } from "../schema/types.ts";
import { textContent, titleLine } from "./call-content.ts";

export type TaskMessage = SystemMessage<"task_progress" | "task_updated" | "task_notification">;

export class BackgroundWork {
  /** By task: the call that started it. */
  readonly #tasks = new Map<string, string>();
  /** What these calls showed in the end. */
  readonly #calls = new Map<string, readonly ToolCallContent[]>();

  started(taskId: string, callId: string): void {
    this.#tasks.set(taskId, callId);
  }

  left(callId: string, content: readonly ToolCallContent[]): void {
    this.#calls.set(callId, content);
  }

  /** What the call shows now. Undefined if it has not ended, or there is nothing to say. */
  take(message: TaskMessage): { readonly callId: string; readonly content: readonly ToolCallContent[] } | undefined {
    const { task_id: taskId } = message;
    const callId = this.#tasks.get(taskId) ?? ("tool_use_id" in message ? message.tool_use_id : undefined);
    const isOver = message.subtype === "task_notification";
    if (isOver) this.#tasks.delete(taskId);
    const content = callId === undefined ? undefined : this.#calls.get(callId);
    const line = taskLine(message);
    if (callId === undefined || content === undefined || line === undefined) return undefined;
    if (isOver) this.#calls.delete(callId);
    return { callId, content: [...content, textContent(line)] };
  }
}

function taskLine(message: TaskMessage): string | undefined {
  switch (message.subtype) {
    case "task_progress": {
      const { summary, usage, last_tool_name: tool } = message;
      const calls = usage === undefined ? "" : ` · ${usage.tool_uses} ${usage.tool_uses === 1 ? "call" : "calls"}`;
      return `Running in the background${calls}${(summary ?? tool) ? ` · ${summary ?? tool}` : ""}`;
    }
    case "task_updated": {
      const { status, error } = message.patch;
      if (status !== "failed" && status !== "killed") return undefined;
      return `${status === "failed" ? "Failed" : "Stopped"} in the background${error === undefined ? "" : `: ${error}`}`;
    }
    default:
      return `${ENDS[message.status] ?? "Ended"} in the background: ${titleLine(message.summary)}`;
  }
}

const ENDS: Readonly<Record<string, string>> = { completed: "Completed", failed: "Failed", stopped: "Stopped" };

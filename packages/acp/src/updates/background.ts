// What calls left running when they ended. Each task is shown in the call that started it.

import { blocksOf, isText, type ModelMessage, type SystemMessage } from "@keelson/protocol";
import type { ToolCallContent } from "../schema/types.ts";
import { textContent, titleLine } from "./call-content.ts";

type TaskEnd = Pick<SystemMessage<"task_notification">, "subtype" | "task_id" | "tool_use_id" | "status" | "summary">;

export type TaskMessage = SystemMessage<"task_progress" | "task_updated"> | TaskEnd;

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

/** The ends of tasks that a message tells the model: all that a transcript has of them. */
export function taskEndsIn(content: ModelMessage["content"]): readonly TaskEnd[] {
  const texts = blocksOf(content).flatMap((block) => (isText(block) ? [block.text] : []));
  return [...texts.join("\n").matchAll(/<task-notification>([\s\S]*?)<\/task-notification>/g)].flatMap(
    ([, notice = ""]) => {
      const field = (name: string) => new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(notice)?.[1];
      const [id, callId, status] = ["task-id", "tool-use-id", "status"].map(field);
      if (id === undefined || callId === undefined || !isEnd(status)) return [];
      const said = field("summary") ?? "";
      // The model reads how the agent ended; clients read what it reported, or its error.
      const [, name, error] = /^Agent "([\s\S]*)" (?:was stopped|failed: ([\s\S]*))$/.exec(said) ?? [];
      const summary = field("result") ?? error ?? name ?? said;
      return [{ subtype: "task_notification", task_id: id, tool_use_id: callId, status, summary }];
    },
  );
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
      return `${isEnd(message.status) ? ENDS[message.status] : "Ended"} in the background: ${titleLine(message.summary)}`;
  }
}

const ENDS = { completed: "Completed", failed: "Failed", stopped: "Stopped" } as const;

const isEnd = (status: string | undefined): status is keyof typeof ENDS =>
  status !== undefined && Object.hasOwn(ENDS, status);

// What subagents do, as part of the call that started them, and how background tasks end.

import {
  blocksOf,
  isToolUse,
  type AssistantMessage,
  type SystemMessage,
  type ToolResultBlock,
} from "@keelson/protocol";
import { isAgentCall } from "../blocks/calls/tools.ts";
import type { AgentCall, SubagentProgress, CallItem, NoteItem } from "./item.ts";
import type { ItemList } from "./item-list.ts";

const MOST_CALLS_KEPT = 20;

export class Subagents {
  readonly #items: ItemList;
  /** By the id of the call that started it. */
  readonly #runs = new Map<string, SubagentProgress>();
  /** Tasks that run in the background, and the calls of all others. */
  readonly #tasks = new Map<string, { inBackground: boolean; readonly callId: string; readonly agent?: string }>();

  constructor(items: ItemList) {
    this.#items = items;
  }

  begin(call: CallItem): void {
    call.agent ??= { calls: [], seen: 0, reported: 0 };
    this.#runs.set(call.id, call.agent);
  }

  end(callId: string): void {
    const run = this.#runs.get(callId);
    this.#runs.delete(callId);
    for (const { id, run: inner } of run?.calls ?? []) if (inner) this.#runs.delete(id);
  }

  assistant(parent: string, { message }: AssistantMessage): void {
    const run = this.#runs.get(parent);
    if (run === undefined) return;
    for (const { id, name, input } of blocksOf(message.content).filter(isToolUse)) {
      const inner: SubagentProgress | undefined = isAgentCall(name) ? { calls: [], seen: 0, reported: 0 } : undefined;
      if (inner) this.#runs.set(id, inner);
      const call: AgentCall = { id, name, input, done: false, failed: false, ...(inner ? { run: inner } : {}) };
      run.seen += 1;
      run.calls.push(call);
      if (run.calls.length > MOST_CALLS_KEPT) run.calls.shift();
    }
  }

  result(parent: string, { tool_use_id: id, is_error }: ToolResultBlock): void {
    const call = this.#runs.get(parent)?.calls.find((each) => each.id === id);
    if (call === undefined) return;
    call.done = true;
    call.failed = is_error === true;
    this.#runs.delete(id);
  }

  /** Messages about tasks. The end of a background task is an item of its own: its call is long over. */
  task(message: SystemMessage): NoteItem | undefined {
    switch (message.subtype) {
      case "task_started": {
        const { task_id: id, tool_use_id: callId = "", is_backgrounded: inBackground = false } = message;
        const agent = message.task_type === "local_agent" ? { agent: message.description } : {};
        this.#tasks.set(id, { inBackground, callId, ...agent });
        const call = this.#items.call(callId);
        if (call) {
          call.taskId = id;
          call.inBackground ||= inBackground;
        }
        return undefined;
      }
      case "task_progress": {
        const { task_id: id, usage } = message;
        const run = this.#runs.get(this.#tasks.get(id)?.callId ?? "");
        if (!run || !usage) return undefined;
        run.tokens = usage.total_tokens;
        run.reported = usage.tool_uses;
        return undefined;
      }
      case "task_updated": {
        const { task_id: id, patch } = message;
        const task = this.#tasks.get(id);
        if (!task || patch.is_backgrounded !== true) return undefined;
        task.inBackground = true;
        const call = this.#items.call(task.callId);
        if (call) call.inBackground = true;
        return undefined;
      }
      case "task_notification": {
        const { task_id: id, status, summary } = message;
        const task = this.#tasks.get(id);
        this.#tasks.delete(id);
        if (!task?.inBackground) return undefined;
        const level = status === "failed" ? "error" : "info";
        return { kind: "note", level, text: endOf(task.agent, status, summary) };
      }
      default:
        return undefined;
    }
  }
}

/** What an agent reported is for the model, which answers next; people read that it is done. */
function endOf(agent: string | undefined, status: string, summary: string): string {
  if (agent === undefined) return summary;
  if (status === "failed") return `Agent "${agent}" failed: ${summary}`;
  return `Agent "${agent}" ${status === "stopped" ? "was stopped" : status}`;
}

// What subagents do, as part of the call that started them, and how background tasks end.

import {
  blocksOf,
  isToolUse,
  type AssistantMessage,
  type SystemMessage,
  type ToolResultBlock,
} from "@keelson/protocol";
import { isAgentCall } from "../calls/known.ts";
import { labelOf } from "../calls/label.ts";
import type { AgentCall, SubagentProgress, CallItem, NoteItem } from "./item.ts";
import { metaOf } from "./streamed-reply.ts";

const MOST_CALLS_KEPT = 20;

interface CallsOfSession {
  /** One that is not settled yet. */
  call(id: string): CallItem | undefined;
  changed(call: CallItem): void;
  cwd(): string;
}

interface AgentRun {
  readonly progress: SubagentProgress;
  /** The call of the session that shows it. */
  readonly shownBy: string;
}

export class Subagents {
  readonly #session: CallsOfSession;
  /** By the id of the call that started it. */
  readonly #runs = new Map<string, AgentRun>();
  /** Tasks that run in the background, and the calls of all others. */
  readonly #tasks = new Map<string, { inBackground: boolean; readonly callId: string; readonly agent?: string }>();

  constructor(session: CallsOfSession) {
    this.#session = session;
  }

  begin(call: CallItem): void {
    call.agent ??= newProgress();
    this.#runs.set(call.id, { progress: call.agent, shownBy: call.id });
  }

  /** The run is over: no call waits for an agent. */
  settle(): void {
    this.#runs.clear();
  }

  end(callId: string): void {
    const run = this.#runs.get(callId);
    this.#runs.delete(callId);
    for (const { id, run: inner } of run?.progress.calls ?? []) if (inner) this.#runs.delete(id);
  }

  assistant(parent: string, { message, tool_use_meta: metas }: AssistantMessage): void {
    const run = this.#runs.get(parent);
    if (run === undefined) return;
    const { progress, shownBy } = run;
    for (const block of blocksOf(message.content).filter(isToolUse)) {
      const { id, name, input } = block;
      const inner = isAgentCall(name) ? newProgress() : undefined;
      if (inner) this.#runs.set(id, { progress: inner, shownBy });
      const label = labelOf(block, metaOf(metas, id), this.#session.cwd());
      const call: AgentCall = { id, name, input, label, state: "running", ...(inner ? { run: inner } : {}) };
      progress.seen += 1;
      progress.calls.push(call);
      if (progress.calls.length > MOST_CALLS_KEPT) progress.calls.shift();
    }
    this.#changed(shownBy);
  }

  result(parent: string, { tool_use_id: id, is_error }: ToolResultBlock): void {
    const run = this.#runs.get(parent);
    const call = run?.progress.calls.find((each) => each.id === id);
    this.#runs.delete(id);
    if (run === undefined || call === undefined) return;
    call.state = is_error === true ? "failed" : "done";
    this.#changed(run.shownBy);
  }

  /** Messages about tasks. The end of a background task is an item of its own: its call is long over. */
  task(message: SystemMessage): NoteItem | undefined {
    switch (message.subtype) {
      case "task_started": {
        const { task_id: id, tool_use_id: callId = "", is_backgrounded: inBackground = false } = message;
        const agent = message.task_type === "local_agent" ? { agent: message.description } : {};
        this.#tasks.set(id, { inBackground, callId, ...agent });
        const call = this.#session.call(callId);
        if (call) {
          call.taskId = id;
          call.inBackground ||= inBackground;
        }
        this.#changed(callId);
        return undefined;
      }
      case "task_progress": {
        const { task_id: id, usage } = message;
        const run = this.#runs.get(this.#tasks.get(id)?.callId ?? "");
        if (!run || !usage) return undefined;
        run.progress.tokens = usage.total_tokens;
        run.progress.reported = usage.tool_uses;
        this.#changed(run.shownBy);
        return undefined;
      }
      case "task_updated": {
        const { task_id: id, patch } = message;
        const task = this.#tasks.get(id);
        if (!task || patch.is_backgrounded !== true) return undefined;
        task.inBackground = true;
        const call = this.#session.call(task.callId);
        if (call) call.inBackground = true;
        this.#changed(task.callId);
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

  #changed(callId: string): void {
    const call = this.#session.call(callId);
    if (call) this.#session.changed(call);
  }
}

const newProgress = (): SubagentProgress => ({ calls: [], seen: 0, reported: 0 });

/** What an agent reported is for the model, which answers next; people read that it is done. */
function endOf(agent: string | undefined, status: string, summary: string): string {
  if (agent === undefined) return summary;
  if (status === "failed") return `Agent "${agent}" failed: ${summary}`;
  return `Agent "${agent}" ${status === "stopped" ? "was stopped" : status}`;
}

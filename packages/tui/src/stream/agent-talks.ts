// What each subagent of this session was asked, said and did, as items of its own conversation. Kept while the session is
// open, also when the agent has ended; the oldest lose their items first.

import { ConversationReader } from "@keelson/client";
import type { Outbound, SystemMessages } from "@keelson/protocol";
import { weightOf, type StreamItem } from "./item.ts";
import { StreamedText } from "./streamed-text.ts";
import { worded } from "./wording.ts";

const MOST_AGENTS = 200;
const MOST_CHARS = 2 * 1024 * 1024;

export interface AgentTalk {
  readonly id: string;
  /** `Explore`, for example. */
  readonly type: string;
  readonly description: string;
  /** What it was asked. */
  readonly prompt: string;
  readonly startedMs: number;
  /** `running`, `completed`, `failed` or `stopped`. */
  readonly status: string;
  readonly endedMs?: number;
  /** Oldest first. */
  readonly items: readonly StreamItem[];
  /** Its items are no longer here. */
  readonly isForgotten: boolean;
}

type Kept = { -readonly [Key in keyof AgentTalk]: AgentTalk[Key] } & {
  items: StreamItem[];
  readonly reader: ConversationReader<StreamedText>;
};

export class AgentTalks {
  readonly #cwd: string;
  readonly #agents = new Map<string, Kept>();

  constructor({ cwd }: { readonly cwd: string }) {
    this.#cwd = cwd;
  }

  /** Oldest first. */
  get all(): readonly AgentTalk[] {
    return [...this.#agents.values()];
  }

  clear(): void {
    this.#agents.clear();
  }

  take(message: Outbound, now: number): void {
    if (message.type === "system") {
      if (message.subtype === "task_started" && message.task_type === "local_agent") this.#begin(message, now);
      else if (message.subtype === "task_notification") this.#end(message, now);
      return;
    }
    if (message.type !== "assistant" && message.type !== "user" && message.type !== "tool_running") return;
    const agent = message.agent_id === undefined ? undefined : this.#agents.get(message.agent_id);
    if (agent === undefined || agent.isForgotten) return;
    agent.reader.take("parent_tool_use_id" in message ? { ...message, parent_tool_use_id: null } : message, now);
    if (message.type !== "tool_running") this.#makeRoom();
  }

  /** An agent that is sent another message goes on where it was. */
  #begin(fields: SystemMessages["task_started"], now: number): void {
    const { task_id: id, subagent_type: type = "", description, prompt = "" } = fields;
    const before = this.#agents.get(id);
    if (before) {
      before.status = "running";
      delete before.endedMs;
      return;
    }
    const items: StreamItem[] = [];
    const reader = new ConversationReader<StreamedText>({
      cwd: this.#cwd,
      newText: () => new StreamedText(),
      add: (item) => {
        const shown = worded(item, { now, showDuration: false, waitedMs: 0 });
        if (shown) items.push(shown);
      },
      remove: () => false,
      clear: () => void items.splice(0),
    });
    this.#agents.set(id, {
      ...{ id, type, description, prompt, startedMs: now, status: "running", items, isForgotten: false },
      reader,
    });
    const [oldest] = this.#agents.keys();
    if (this.#agents.size > MOST_AGENTS && oldest !== undefined) this.#agents.delete(oldest);
  }

  #end({ task_id: id, status }: SystemMessages["task_notification"], now: number): void {
    const agent = this.#agents.get(id);
    if (agent === undefined || agent.status !== "running") return;
    agent.status = status;
    agent.endedMs = now;
    agent.reader.settle(now);
  }

  #makeRoom(): void {
    let left = MOST_CHARS;
    for (const agent of this.all.toReversed() as Kept[]) {
      for (const item of agent.items) left -= weightOf(item) + 64;
      if (left >= 0 || agent.status === "running") continue;
      agent.items.splice(0);
      agent.isForgotten = true;
    }
  }
}

// All output of a session. An entry is appended to the transcript, then sent to clients as a message, so clients never
// see what the transcript does not have. A signal is only sent.

import {
  COMPATIBLE_VERSION,
  isJoinedPrompt,
  isPrompt,
  isToolUse,
  project,
  projectPrompt,
  type AgentMetadata,
  type ChainEntry,
  type ContentBlock,
  type Entry,
  type FileHistoryEntry,
  type Message,
  type MetadataEntry,
  type NewEntry,
  type Outbound,
  type PromptMessage,
  type Signal,
  type ToolUseMeta,
} from "@keelson/protocol";
import { toolUseMeta, type CallNaming } from "./tool-use-meta.ts";
import { Watchers, type StreamWatcher } from "./watchers.ts";

export interface OutboxOptions extends CallNaming {
  readonly sessionId: string;
  readonly entrypoint: string;
  /** The last entry of a resumed conversation. */
  readonly leaf: string | null;
  /** `parts`: also what a prompt was made of. */
  readonly replayPrompts: boolean | "parts";
  /** The transcript's path. Set if the client mirrors every entry. */
  readonly mirrored?: string | undefined;
  append(entries: readonly Entry[]): void;
  gitBranch(): string;
  /** The name of the session's plan, if it has one. */
  slug?(): string | undefined;
  /** In the entries of a member of a team; readers of transcripts leave them out. */
  readonly team?: { readonly teamName: string; readonly agentName: string };
  now(): number;
  newId(): string;
}

/** A subagent, as its entries and messages describe it. */
export interface SidechainAgent {
  readonly id: string;
  readonly type: string;
  readonly description: string;
  /** The call that started it; null if none did. */
  readonly toolUseId: string | null;
  /** Whether clients also get what it says and thinks, not only its calls. */
  showsText(): boolean;
}

export class Outbox {
  #options: OutboxOptions;
  readonly #watchers: Watchers;
  readonly #agent: SidechainAgent | undefined;
  #leaf: string | null;
  #promptId: string | undefined;
  /** Ids of prompts that no reply followed yet. */
  #unanswered: readonly string[] = [];
  /** Prompts whose senders know that they wait. */
  readonly #queued = new Set<string>();

  constructor(options: OutboxOptions, watchers = new Watchers(options.newId), agent?: SidechainAgent) {
    this.#options = options;
    this.#watchers = watchers;
    this.#agent = agent;
    this.#leaf = options.leaf;
  }

  /** The outbox of a subagent: another transcript, the same clients. */
  forAgent(agent: SidechainAgent, own: Pick<OutboxOptions, "append" | "leaf" | "mirrored" | "cwd">): Outbox {
    const outbox = new Outbox({ ...this.#options, ...own }, this.#watchers, agent);
    outbox.#promptId = this.#promptId;
    return outbox;
  }

  /** The latest entry of the conversation. */
  get leaf(): string | null {
    return this.#leaf;
  }

  /** Continues with another session and an empty conversation. Clients stay attached. */
  restart(next: Pick<OutboxOptions, "sessionId" | "mirrored">): void {
    this.#options = { ...this.#options, ...next };
    this.#leaf = null;
    this.#promptId = undefined;
  }

  /** The conversation went back: the next entry follows this one. */
  rewind(leaf: string | null): void {
    this.#leaf = leaf;
    this.#promptId = undefined;
  }

  attach(past: Iterable<Outbound> = []): StreamWatcher {
    return this.#watchers.attach(past);
  }

  record(entries: readonly NewEntry[]): void | Promise<void> {
    const stamped = entries.map((entry) => this.#stamp(entry));
    this.#append(stamped);
    let behind: void | Promise<void> = undefined;
    for (const entry of stamped) {
      const message = this.#agent
        ? this.#fromAgent(entry, this.#agent)
        : isPrompt(entry) || isJoinedPrompt(entry)
          ? this.#replayed(entry)
          : this.#projected(entry);
      if (message) behind = this.#watchers.push(message) ?? behind;
    }
    return behind;
  }

  /** Stores an entry that clients do not see. */
  note(entry: MetadataEntry | FileHistoryEntry): void {
    this.#append([entry]);
  }

  /** Sends stored entries to a client that mirrors the transcript. */
  mirror(entries: readonly (Entry | AgentMetadata)[]): void {
    const { mirrored: filePath } = this.#options;
    if (filePath === undefined || entries.length === 0) return;
    void this.send({ type: "transcript_mirror", filePath, entries });
  }

  /** Repeats a prompt for clients that asked for it, as it was sent. */
  replay({ uuid, byUser: _, ...prompt }: PromptMessage): void {
    const { replayPrompts, sessionId: session_id, newId } = this.#options;
    if (replayPrompts) void this.send({ ...prompt, session_id, uuid: uuid ?? newId(), isReplay: true });
  }

  /** A run begins with these prompts. Returns their ids. */
  begin(prompts: readonly PromptMessage[]): readonly string[] {
    if (this.#options.replayPrompts === "parts") prompts.slice(0, -1).forEach((prompt) => this.replay(prompt));
    const ids = prompts.flatMap(({ uuid }) => uuid ?? []);
    for (const id of ids) this.lifecycle(id, "started");
    this.#unanswered = ids;
    return ids;
  }

  /** Reports the state of a prompt that has an id. */
  lifecycle(prompt: string, state: "queued" | "started" | "completed" | "cancelled"): void {
    const { sessionId, newId } = this.#options;
    // Every prompt was in the queue, if only for a moment.
    if (state === "started" && !this.#queued.delete(prompt)) this.lifecycle(prompt, "queued");
    if (state === "queued") this.#queued.add(prompt);
    else this.#queued.delete(prompt);
    void this.send({
      type: "command_lifecycle",
      command_uuid: prompt,
      state,
      uuid: newId(),
      session_id: sessionId,
    });
  }

  show(signal: Signal): void | Promise<void> {
    return this.send({ ...this.#withMeta(signal), session_id: this.#options.sessionId, uuid: this.#options.newId() });
  }

  /** Sends a message that has its own ids, such as a control message. */
  send(message: Outbound): void | Promise<void> {
    return this.#watchers.push(message);
  }

  end(): void {
    this.#watchers.end();
  }

  /** Clients get the prompt, the calls and their results, without the output as the tool made it. */
  #fromAgent(entry: ChainEntry, { id, type, description, toolUseId, showsText }: SidechainAgent): Message | undefined {
    if (entry.type !== "user" && entry.type !== "assistant") return undefined;
    if (entry.type === "assistant" && !showsText() && !entry.message.content.some(isToolUse)) return undefined;
    const message = this.#projected(entry, toolUseId);
    if (message?.type !== "user" && message?.type !== "assistant") return undefined;
    return { ...message, agent_id: id, subagent_type: type, task_description: description };
  }

  /** A message of the past, with what its calls are called now. */
  named<Past extends Outbound>(message: Past): Past {
    if (message.type !== "assistant" || !this.#options.toolOf) return message;
    return { ...message, ...this.#metaOf(message.message.content) };
  }

  #projected(entry: ChainEntry, parentToolUseId: string | null = null): Message | undefined {
    const projected = project(entry, parentToolUseId);
    if (projected?.type !== "assistant" || entry.type !== "assistant") return projected;
    return { ...projected, ...this.#takeUnanswered(), ...this.#metaOf(entry.message.content) };
  }

  /** The start of a call says what it is a call of. */
  #withMeta(signal: Signal): Signal {
    if (signal.type !== "stream_event" || signal.event.type !== "content_block_start" || !this.#options.toolOf)
      return signal;
    return { ...signal, ...this.#metaOf([signal.event.content_block]) };
  }

  #metaOf(blocks: readonly ContentBlock[]): { readonly tool_use_meta?: readonly ToolUseMeta[] } {
    const meta = toolUseMeta(blocks.filter(isToolUse), this.#options);
    return meta.length === 0 ? {} : { tool_use_meta: meta };
  }

  /** The first reply says which prompts it answers. */
  #takeUnanswered() {
    const ids = this.#unanswered;
    this.#unanswered = [];
    return ids.length === 0 ? {} : { user_message_uuid: ids.at(-1)!, user_message_uuids: ids };
  }

  #append(entries: readonly Entry[]): void {
    this.#options.append(entries);
    this.mirror(entries);
  }

  #replayed(entry: ChainEntry & { type: "user" | "attachment" }) {
    return this.#options.replayPrompts ? projectPrompt(entry) : undefined;
  }

  /** The field order makes reading fast: `message` early, the tool's output last. */
  #stamp(entry: NewEntry): ChainEntry {
    const { sessionId, entrypoint, cwd, gitBranch, now } = this.#options;
    const slug = this.#options.slug?.();
    const { uuid, parentUuid, type, message, toolUseResult, ...rest } = this.#own(entry);
    if (rest.promptId !== undefined) this.#promptId = rest.promptId;
    const stamped = {
      // Null begins a conversation anew.
      parentUuid: parentUuid === undefined ? this.#leaf : parentUuid,
      isSidechain: this.#agent !== undefined,
      ...(this.#agent ? { agentId: this.#agent.id } : {}),
      type,
      ...(message === undefined ? {} : { message }),
      uuid,
      timestamp: new Date(now()).toISOString(),
      ...rest,
      ...(type === "user" && this.#promptId !== undefined ? { promptId: this.#promptId } : {}),
      userType: "external",
      entrypoint,
      cwd: cwd(),
      sessionId,
      version: COMPATIBLE_VERSION,
      gitBranch: gitBranch(),
      ...(slug === undefined ? {} : { slug }),
      ...this.#options.team,
      ...(toolUseResult === undefined ? {} : { toolUseResult }),
    } as ChainEntry;
    this.#leaf = uuid;
    return stamped;
  }

  /** What no one typed is no prompt, and in the transcript of a subagent results have no output as the tool made it. */
  #own(entry: NewEntry): Stampable {
    const { promptSource, permissionMode, toolUseResult, ...rest } = entry as Stampable;
    return this.#agent ? rest : (entry as Stampable);
  }
}

type Stampable = NewEntry & {
  readonly message?: unknown;
  readonly toolUseResult?: unknown;
  readonly promptId?: string;
  readonly promptSource?: string;
  readonly permissionMode?: string;
};

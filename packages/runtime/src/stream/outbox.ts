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
  type PromptMessage,
  type Signal,
  type ToolUseBlock,
} from "@keelson/protocol";
import { Clients, type ViewPart } from "./clients.ts";
import type { CallNaming } from "./tool-use-meta.ts";
import type * as ToolUseMetaModule from "./tool-use-meta.ts";

export interface OutboxOptions extends CallNaming {
  readonly sessionId: string;
  readonly entrypoint: string;
  /** The last entry of a resumed conversation. */
  readonly leaf: string | null;
  /** An echo has what a prompt was made of, not only the whole. */
  readonly echoesParts?: boolean;
  /** The transcript's path, for clients that mirror it. Absent if it is not kept. */
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
  /** Whether its words are for all clients, not only for those that want to see what agents say. */
  isHeard(): boolean;
}

export class Outbox {
  #options: OutboxOptions;
  readonly clients: Clients;
  readonly #agent: SidechainAgent | undefined;
  #leaf: string | null;
  #promptId: string | undefined;
  /** A client asked for what calls are called. */
  #hasNamed = false;
  /** Ids of prompts that no reply followed yet. */
  #unanswered: readonly string[] = [];
  /** Prompts whose senders know that they wait. */
  readonly #queued = new Set<string>();

  constructor(options: OutboxOptions, clients = new Clients({ newId: options.newId }), agent?: SidechainAgent) {
    this.#options = options;
    this.clients = clients;
    this.#agent = agent;
    this.#leaf = options.leaf;
  }

  /** The outbox of a subagent: another transcript, the same clients. */
  forAgent(agent: SidechainAgent, own: Pick<OutboxOptions, "append" | "leaf" | "mirrored" | "cwd">): Outbox {
    const outbox = new Outbox({ ...this.#options, ...own }, this.clients, agent);
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

  record(entries: readonly NewEntry[]): void | Promise<void> {
    const stamped = entries.map((entry) => this.#stamp(entry));
    this.#append(stamped);
    let behind: void | Promise<void> = undefined;
    for (const entry of stamped) {
      const needs = this.#neededFor(entry);
      if (needs !== undefined && !this.clients.wants(needs)) continue;
      const message = this.#agent
        ? this.#fromAgent(entry, this.#agent)
        : isPrompt(entry) || isJoinedPrompt(entry)
          ? projectPrompt(entry)
          : this.#projected(entry);
      if (message) behind = this.clients.push(message, needs) ?? behind;
    }
    return behind;
  }

  /** Stores an entry that clients do not see. */
  note(entry: MetadataEntry | FileHistoryEntry): void {
    this.#append([entry]);
  }

  /** Sends stored entries to clients that mirror the transcript. */
  mirror(entries: readonly (Entry | AgentMetadata)[]): void {
    const { mirrored: filePath } = this.#options;
    if (filePath === undefined || entries.length === 0 || !this.clients.wants("mirror")) return;
    void this.clients.push({ type: "transcript_mirror", filePath, entries }, "mirror");
  }

  /** A prompt as it was sent, for clients that want an echo. */
  echoOf({ uuid, byUser: _, ...prompt }: PromptMessage): Message {
    const { sessionId: session_id, newId } = this.#options;
    return { ...prompt, session_id, uuid: uuid ?? newId(), isReplay: true };
  }

  /** A run begins with these prompts. Returns their ids. */
  begin(prompts: readonly PromptMessage[]): readonly string[] {
    if (this.#options.echoesParts && prompts.length > 1 && this.clients.wants("replayPrompts"))
      for (const prompt of prompts.slice(0, -1)) void this.clients.push(this.echoOf(prompt), "replayPrompts");
    const ids = prompts.flatMap(({ uuid }) => uuid ?? []);
    for (const id of ids) this.lifecycle(id, "started");
    this.#unanswered = ids;
    return ids;
  }

  /** Reports the state of a prompt that has an id. */
  lifecycle(prompt: string, state: PromptState): void {
    // Every prompt was in the queue, if only for a moment.
    if (state === "started" && !this.#queued.delete(prompt)) this.lifecycle(prompt, "queued");
    if (state === "queued") this.#queued.add(prompt);
    else this.#queued.delete(prompt);
    void this.clients.push(this.lifecycleOf(prompt, state));
  }

  lifecycleOf(prompt: string, state: PromptState): Message {
    const { sessionId, newId } = this.#options;
    return { type: "command_lifecycle", command_uuid: prompt, state, uuid: newId(), session_id: sessionId };
  }

  /** `needs`: only clients with this in their view get it. */
  show(signal: Signal, needs: ViewPart | undefined = neededFor(signal)): void | Promise<void> {
    return this.clients.push(this.stamped(this.#withMeta(signal)), needs);
  }

  stamped(signal: Signal): Message {
    return { ...signal, session_id: this.#options.sessionId, uuid: this.#options.newId() };
  }

  end(): void {
    this.clients.end();
  }

  /** What a client's view must have to get the message of this entry. */
  #neededFor(entry: ChainEntry): ViewPart | undefined {
    if (!this.#agent) return isPrompt(entry) || isJoinedPrompt(entry) ? "replayPrompts" : undefined;
    if (this.#agent.isHeard() || entry.type !== "assistant") return undefined;
    return entry.message.content.some(isToolUse) ? undefined : "agentText";
  }

  /** Clients get the prompt, the calls and their results, without the output as the tool made it. */
  #fromAgent(entry: ChainEntry, { id, type, description, toolUseId }: SidechainAgent): Message | undefined {
    if (entry.type !== "user" && entry.type !== "assistant") return undefined;
    const message = this.#projected(entry, toolUseId);
    if (message?.type !== "user" && message?.type !== "assistant") return undefined;
    return { ...message, agent_id: id, subagent_type: type, task_description: description };
  }

  /** A message of the past, with what its calls are called now. */
  named(message: Message): Message {
    if (message.type !== "assistant") return message;
    return { ...message, ...this.#metaOf(message.message.content, true) };
  }

  #projected(entry: ChainEntry, parentToolUseId: string | null = null): Message | undefined {
    const projected = project(entry, parentToolUseId);
    if (projected?.type !== "assistant" || entry.type !== "assistant") return projected;
    return { ...projected, ...this.#takeUnanswered(), ...this.#metaOf(entry.message.content) };
  }

  /** The start of a call says what it is a call of. */
  #withMeta(signal: Signal): Signal {
    if (signal.type !== "stream_event" || signal.event.type !== "content_block_start") return signal;
    // Clients of the reference get nothing with it.
    return this.#wantsMeta() ? { ...signal, ...this.#metaOf([signal.event.content_block]) } : signal;
  }

  #metaOf(blocks: readonly ContentBlock[], wants = this.#wantsMeta()) {
    const isNamed = ({ name }: ToolUseBlock) => wants || this.#options.originOf?.(name) !== undefined;
    const calls = blocks.filter(isToolUse).filter(isNamed);
    if (calls.length === 0) return undefined;
    // Not needed before the first call that has more than its name.
    const { toolUseMeta } = require("./tool-use-meta.ts") as typeof ToolUseMetaModule;
    const meta = toolUseMeta(calls, this.#options, wants);
    return meta.length === 0 ? undefined : { tool_use_meta: meta };
  }

  /** One that left may come back for what it missed. */
  #wantsMeta(): boolean {
    return (this.#hasNamed ||= this.clients.wants("toolMeta"));
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

type PromptState = "queued" | "started" | "completed" | "cancelled";

/** SessionStart and Setup hooks are for every client (conformance: hooks, start-and-end). */
function neededFor(signal: Signal): ViewPart | undefined {
  if (signal.type === "stream_event") return "partial";
  if (signal.type === "tool_running") return "liveCalls";
  if (signal.type !== "system") return undefined;
  if (signal.subtype === "status") return signal.status === "requesting" ? "partial" : undefined;
  if (!("hook_event" in signal)) return undefined;
  return signal.hook_event === "SessionStart" || signal.hook_event === "Setup" ? undefined : "hookEvents";
}

type Stampable = NewEntry & {
  readonly message?: unknown;
  readonly toolUseResult?: unknown;
  readonly promptId?: string;
  readonly promptSource?: string;
  readonly permissionMode?: string;
};

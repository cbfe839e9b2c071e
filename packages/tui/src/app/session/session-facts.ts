// What the terminal knows of the session it shows, gathered from messages and replies. Thrown away with the session.

import {
  isObject,
  type JsonObject,
  isPermissionMode,
  isResult,
  type ListedCommand,
  type Outbound,
  type PermissionMode,
  type ReplyTo,
  type SystemMessage,
  type UserMessage,
} from "@keelson/protocol";
import { isInterruption, promptItems } from "@keelson/client";
import { counted } from "../../blocks/amounts.ts";

/** Lists show no more of a prompt. */
const SHOWN_CHARS = 500;

interface PromptFact {
  /** The uuid of the user message. */
  readonly id: string;
  readonly text: string;
  /** When it was sent, in milliseconds. */
  readonly sentMs?: number;
  /** A summary has taken its place. */
  readonly isSummarized?: true;
}

export class SessionFacts {
  model = "";
  /** What people call the model. */
  modelName = "";
  effort: string | undefined;
  thinking = true;
  mode: PermissionMode = "default";
  title = "";
  /** Since when the agent works; undefined while it waits for a prompt. */
  workingSince: number | undefined;
  #compactingSince: number | undefined;
  commands: readonly ListedCommand[] = [];
  agents: readonly { readonly name: string; readonly description: string }[] = [];
  outputStyle = "default";
  lastAnswer = "";
  /** Prompts of the conversation, oldest first. */
  prompts: readonly PromptFact[] = [];
  transcriptPath = "";
  addedDirs: readonly string[] = [];
  cwd: string | undefined;
  #projectDir: string | undefined;
  /** Of the repository: the name of a linked work tree, and its remote. */
  gitWorktree: string | undefined;
  repo: JsonObject | undefined;
  /** The worktree that the session entered. */
  worktree: JsonObject | undefined;
  agent: string | undefined;
  /** MCP servers that cannot be used, in words. */
  servers: string | undefined;
  /** Tokens that the model can read, if the session has said it. */
  contextWindow: number | undefined;

  /** The title of the session, or else what it began with. Empty before the first prompt. */
  get name(): string {
    const first = this.prompts.find(({ text }) => !text.startsWith("/"));
    return this.title || first?.text.trim().split("\n")[0] || "";
  }

  /** The file that a note of the user goes to. */
  get memoryFile(): string {
    const name = "CLAUDE.md";
    return this.#projectDir === undefined || this.#projectDir === this.cwd ? name : `${this.#projectDir}/${name}`;
  }

  take(message: Outbound, now: number): void {
    if (isResult(message)) {
      this.workingSince = undefined;
      if (typeof message.result === "string" && message.result !== "") this.lastAnswer = message.result;
      return;
    }
    switch (message.type) {
      case "stream_event":
        if (message.parent_tool_use_id === null) this.workingSince ??= now;
        return;
      case "command_lifecycle":
        if (message.state === "started") this.workingSince ??= now;
        return;
      case "user":
        return this.#prompted(message, now);
      case "conversation_reset":
        this.prompts = [];
        this.title = "";
        return;
      case "system":
        return this.#system(message, now);
    }
  }

  /** The conversation continues from before this prompt. */
  rewound(id: string): void {
    const at = this.prompts.findIndex((prompt) => prompt.id === id);
    // Before a summary, the conversation is as it was.
    if (at >= 0) this.prompts = this.prompts.slice(0, at).map(({ isSummarized: _, ...prompt }) => prompt);
  }

  /** The reply to `initialize`. */
  initialized(reply: ReplyTo<"initialize">, now: number): void {
    const { current_permission_mode: mode } = reply;
    this.commands = reply.commands;
    this.agents = reply.agents;
    this.outputStyle = reply.output_style;
    if (isPermissionMode(mode)) this.mode = mode;
    // Another client may have started work before this one came.
    if (reply.session_state === "running") this.workingSince ??= now;
  }

  #prompted(
    { uuid, message, parent_tool_use_id: parent, isSynthetic, isReplay, timestamp }: UserMessage,
    now: number,
  ): void {
    if (parent !== null || isSynthetic || isInterruption(message.content) || this.prompts.some(({ id }) => id === uuid))
      return;
    const [item] = promptItems(message.content);
    if (item?.kind !== "prompt" || item.from !== undefined) return;
    const stamp = Date.parse(timestamp ?? "");
    const sentMs = Number.isNaN(stamp) ? (isReplay ? undefined : now) : stamp;
    const text = item.text.slice(0, SHOWN_CHARS);
    this.prompts = [...this.prompts, { id: uuid, text, ...(sentMs === undefined ? {} : { sentMs }) }];
  }

  /** The reply to `get_session_info`. */
  informed(reply: ReplyTo<"get_session_info">): void {
    this.model = reply.model.id;
    this.modelName = reply.model.display_name;
    this.effort = reply.effort ?? undefined;
    this.thinking = reply.thinking;
    this.transcriptPath = reply.transcript_path ?? this.transcriptPath;
    this.addedDirs = reply.added_dirs;
    this.title = reply.title ?? this.title;
    this.cwd = reply.cwd;
    this.#projectDir = reply.project_dir;
    this.agent = reply.agent ?? this.agent;
    this.gitWorktree = reply.git_worktree ?? undefined;
    this.repo = reply.repo ?? undefined;
    this.worktree = reply.worktree ?? undefined;
    this.contextWindow = reply.context_window;
  }

  serversAre(servers: readonly { readonly status: string }[]): void {
    const count = (wanted: string) => servers.filter(({ status }) => status === wanted).length;
    const [failed, unsigned] = [count("failed"), count("needs-auth")];
    const parts = [
      ...(failed === 0 ? [] : [`${counted(failed, "MCP server")} failed`]),
      ...(unsigned === 0 ? [] : [`${counted(unsigned, "MCP server")} ${unsigned === 1 ? "needs" : "need"} a sign-in`]),
    ];
    this.servers = parts.length === 0 ? undefined : `${parts.join(", ")}: /mcp`;
  }

  #system(message: SystemMessage, now: number): void {
    switch (message.subtype) {
      case "init":
        this.mode = message.permissionMode;
        this.model = message.model;
        this.serversAre(message.mcp_servers);
        return;
      case "status":
        this.#compacting(message.status === "compacting", now);
        this.mode = message.permissionMode ?? this.mode;
        return;
      case "compact_boundary":
        return this.#compacted(message.compact_metadata);
      case "session_title_changed":
        this.title = message.title;
        return;
      case "commands_changed":
        this.commands = message.commands;
    }
  }

  /** A compaction between two prompts is work, too. */
  #compacting(begins: boolean, now: number): void {
    if (begins && this.workingSince === undefined) this.#compactingSince = this.workingSince = now;
    if (begins || this.#compactingSince === undefined) return;
    if (this.workingSince === this.#compactingSince) this.workingSince = undefined;
    this.#compactingSince = undefined;
  }

  #compacted(metadata: unknown): void {
    const { preserved_messages: preserved } = isObject(metadata) ? metadata : {};
    const kept = isObject(preserved) && Array.isArray(preserved["uuids"]) ? preserved["uuids"] : [];
    this.prompts = this.prompts.map((prompt) =>
      kept.includes(prompt.id) ? prompt : { ...prompt, isSummarized: true },
    );
  }
}

// The messages of a session, as an editor is shown them. Pure: the same messages give the same updates, whether they come
// live or from a transcript.

import { resolve } from "node:path";
import {
  callLine,
  ConversationReader,
  isAgentCall,
  isSettled,
  isTodoCall,
  SessionTodos,
  TextParts,
  type CallItem,
  type ConversationItem,
  type NoteItem,
} from "@keelson/client";
import {
  blocksOf,
  isObject,
  isText,
  isToolResult,
  isToolUse,
  type CallLocation,
  type Outbound,
  type SystemMessage,
} from "@keelson/protocol";
import type {
  AvailableCommand,
  ClientCapabilities,
  ContentPart,
  SessionUpdate,
  ToolCallContent,
  ToolCallFields,
  ToolCallStatus,
} from "../schema/types.ts";
import { boundedText, boundedValue } from "./bounded.ts";
import {
  agentContent,
  firstLine,
  titleLine,
  plannedContent,
  resultBlocks,
  resultContent,
  textContent,
} from "./call-content.ts";
import { BackgroundWork, type TaskMessage } from "./background.ts";
import { Compactions } from "./compactions.ts";
import { fencedText } from "./fence.ts";
import { promptParts } from "./prompt-parts.ts";
import { ShownCalls } from "./shown-calls.ts";
import { UsageReader } from "./usage.ts";

export interface UpdatesContext {
  readonly cwd: string;
  readonly capabilities: ClientCapabilities;
  newId(): string;
}

type ChunkKind = "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk";

export class Updates {
  readonly #context: UpdatesContext;
  readonly #calls = new ShownCalls();
  readonly #reader: ConversationReader<TextParts>;
  readonly #todos = new SessionTodos();
  readonly #usage = new UsageReader();
  /** Made by the message that is being taken. */
  #out: SessionUpdate[] = [];
  #message: Outbound | undefined;
  /** Of the reply that is streamed. */
  #replyId = "";
  /** How many characters of an answer or a thought are shown. */
  readonly #grown = new WeakMap<object, number>();
  /** Calls that run, as far as messages tell; others may wait for approval. */
  readonly #running = new Set<string>();
  /** The last line that the subagent of a call wrote. */
  readonly #lastLines = new Map<string, string>();
  /** Of subagents' calls: the call that started the subagent, and what they are. */
  readonly #inner = new Map<string, { readonly parent: string; readonly name: string; readonly input: unknown }>();
  readonly #background = new BackgroundWork();
  /** As messages say; undefined before the first. */
  #mode: string | undefined;
  readonly #compactions: Compactions;
  /** An error of a run. The reply to the prompt says it; without such a reply, it is shown. */
  #error: { readonly text: string; readonly id: string } | undefined;

  constructor(context: UpdatesContext) {
    this.#context = context;
    this.#compactions = new Compactions(context);
    this.#reader = new ConversationReader({
      cwd: context.cwd,
      newText: () => new TextParts(),
      add: (item) => this.#add(item),
      change: (item, delta) => (item.kind === "call" ? this.#call(item) : this.#grow(item, delta)),
      remove: (item) => {
        // What was shown cannot be taken back. A call that never came to be has ended.
        if (item.kind === "call") this.#call({ ...item, state: "interrupted" });
        return false;
      },
      clear: () => this.#endCalls(),
    });
  }

  /** What an editor is shown for one message of the stream, in order. Questions of the session, too, are to be taken. */
  take(message: Outbound): readonly SessionUpdate[] {
    this.#message = message;
    if (message.type === "stream_event" && message.event.type === "message_start" && !message.parent_tool_use_id)
      this.#replyId = message.event.message.id;
    this.#mark(message);
    this.#before(message);
    this.#reader.take(message, 0);
    this.#after(message);
    return this.#drain();
  }

  /** Every call that is not final is ended (a stopped turn, the end of a replay). */
  finish(): readonly SessionUpdate[] {
    this.#reader.settle(0);
    this.#endCalls();
    this.#showError();
    return this.#drain();
  }

  /** The prompt with this id was typed in this editor, which shows it already. */
  typed(uuid: string): void {
    this.#reader.typed(uuid);
  }

  /** Someone approved the call. */
  allowed(callId: string): readonly SessionUpdate[] {
    this.#running.add(callId);
    const shown = this.#calls.shown(callId);
    if (shown) this.#show({ ...shown, title: shown.title ?? "", status: "in_progress" });
    return this.#drain();
  }

  /** An open call, as the editor knows it. */
  shown(callId: string): ToolCallFields | undefined {
    return this.#calls.shown(callId);
  }

  #drain(): readonly SessionUpdate[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }

  /** Notes what a message tells about calls, before they are shown again because of it. */
  #mark(message: Outbound): void {
    if (message.type === "tool_progress") this.#running.add(message.tool_use_id);
    if (message.type === "assistant" || message.type === "user") {
      const { parent_tool_use_id: parent } = message;
      if (typeof parent === "string") this.#fromAgent(message, parent);
    }
    if (message.type === "system" && message.subtype === "task_started" && message.tool_use_id !== undefined) {
      this.#running.add(message.tool_use_id);
      this.#background.started(message.task_id, message.tool_use_id);
    }
  }

  #fromAgent(message: Outbound & { readonly type: "assistant" | "user" }, parent: string): void {
    this.#running.add(parent);
    for (const block of blocksOf(message.message.content)) {
      if (message.type === "assistant" && isToolUse(block))
        this.#inner.set(block.id, { parent, name: block.name, input: block.input });
      if (message.type === "assistant" && isText(block)) {
        const line = block.text.trimEnd().split("\n").at(-1)?.trim();
        if (line) this.#lastLines.set(parent, titleLine(line));
      }
      if (!isToolResult(block)) continue;
      this.#inner.delete(block.tool_use_id);
      // Only those that were asked about are shown as calls.
      const shown = this.#calls.shown(block.tool_use_id);
      if (!shown) continue;
      const status = block.is_error === true ? "failed" : "completed";
      const { content } = block;
      const text =
        typeof content === "string"
          ? content
          : content
              .filter(isText)
              .map((each) => each.text)
              .join("\n");
      this.#show({
        ...shown,
        title: shown.title ?? "",
        status,
        content: text === "" ? [] : [textContent(fencedText(boundedText(text)))],
      });
    }
  }

  #before(message: Outbound): void {
    if (message.type === "result") {
      if (message.origin === undefined) this.#error = undefined;
      this.#showError();
    }
    // A prompt, or another run.
    if (message.type === "user" && message.isReplay) this.#showError();
    if (message.type === "control_request") this.#asked(message.request);
    if (message.type === "system") this.#system(message);
  }

  #after(message: Outbound): void {
    this.#out.push(...this.#usage.take(message));
    const before = this.#todos.todos;
    // A list that is done stays shown; a transcript does not say when a run ended.
    if (message.type !== "result") this.#todos.take(message);
    const { todos } = this.#todos;
    if (todos === before) return;
    const entries = todos.map(({ content, status }) => ({ content, priority: "medium" as const, status }));
    this.#out.push({ sessionUpdate: "plan", entries });
  }

  /** A call of a subagent is shown by itself once someone is asked about it. */
  #asked(request: Readonly<Record<string, unknown>>): void {
    const { subtype, tool_use_id: id, tool_name: tool, input } = request;
    if (subtype !== "can_use_tool" || typeof id !== "string" || this.#calls.isKnown(id)) return;
    const inner = this.#inner.get(id);
    const name = inner?.name ?? (typeof tool === "string" ? tool : "");
    const about = isObject(input) ? input : {};
    this.#show({
      toolCallId: id,
      name,
      title: titleLine(name),
      status: "pending",
      rawInput: about,
      _meta: { claudeCode: { toolName: name, ...(inner ? { parentToolUseId: inner.parent } : {}) } },
    });
  }

  #system(message: SystemMessage): void {
    switch (message.subtype) {
      case "init":
        // What the mode was before is not known here.
        if (this.#mode === undefined) this.#mode = message.permissionMode;
        else this.#setMode(message.permissionMode);
        break;
      case "status":
        if (message.permissionMode !== undefined) this.#setMode(message.permissionMode);
        this.#out.push(...this.#compactions.status(message));
        break;
      case "session_title_changed":
        this.#out.push({ sessionUpdate: "session_info_update", title: message.title });
        break;
      case "commands_changed":
        this.#out.push({
          sessionUpdate: "available_commands_update",
          availableCommands: availableCommands(message.commands),
        });
        break;
      case "api_retry": {
        const { attempt, max_retries: most, error } = message;
        this.#notice("warning", `The request failed and is sent again (${attempt} of ${most}): ${error}`, "notice");
        break;
      }
      case "mcp_server_status":
        if (message.status === "failed") {
          const why = message.error === undefined ? "" : `: ${message.error}`;
          this.#notice("warning", `MCP server "${message.server_name}" failed${why}`);
        }
        break;
      case "task_progress":
      case "task_updated":
      case "task_notification":
        this.#task(message);
        break;
      default:
        break;
    }
  }

  /** What runs in the background is told in the call that started it. */
  #task(message: TaskMessage): void {
    const told = this.#background.take(message);
    if (told) this.#out.push(...this.#calls.addTo(told.callId, told.content));
  }

  #setMode(mode: string): void {
    if (mode === this.#mode) return;
    this.#mode = mode;
    this.#out.push({ sessionUpdate: "current_mode_update", currentModeId: mode });
  }

  #add(item: ConversationItem<TextParts>): void {
    switch (item.kind) {
      case "answer":
      case "thinking":
        this.#grow(item);
        break;
      case "call":
        this.#call(item);
        break;
      case "prompt":
        if (item.typed || this.#message?.type !== "user") break;
        for (const part of promptParts(item, this.#message.message.content)) this.#chunk("user_message_chunk", part);
        break;
      case "output":
        this.#say(item.as === "plain" ? fencedText(item.text) : item.text);
        break;
      case "note":
        this.#note(item);
        break;
      case "limit":
        if (item.isReached) this.#notice("error", "The usage limit of the account is reached");
        else this.#notice("warning", "The account is close to its usage limit", "notice");
        break;
      case "compaction":
        this.#out.push(...this.#compactions.done(this.#messageId()));
        break;
      case "summary":
        this.#out.push(...this.#compactions.summary(item.text));
        break;
      default:
        break;
    }
  }

  /** Shows what is new at the end of an answer or a thought: the delta, or all that is not shown yet. */
  #grow(item: ConversationItem<TextParts> & { readonly kind: "answer" | "thinking" }, delta?: string): void {
    const shown = this.#grown.get(item) ?? 0;
    const text = delta ?? (item.kind === "answer" ? item.text.whole() : item.text).slice(shown);
    if (text === "") return;
    this.#grown.set(item, shown + text.length);
    this.#chunk(item.kind === "answer" ? "agent_message_chunk" : "agent_thought_chunk", { type: "text", text });
  }

  #chunk(kind: ChunkKind, content: ContentPart): void {
    const id = this.#messageId();
    this.#out.push({ sessionUpdate: kind, content, ...(id === "" ? {} : { messageId: id }) });
  }

  /** Of the message of the model, as its deltas have it; of others, their own. */
  #messageId(): string {
    const message = this.#message;
    if (message?.type === "stream_event") return this.#replyId;
    if (message?.type === "assistant") return message.message.id;
    return message !== undefined && "uuid" in message ? message.uuid : "";
  }

  /** A line of the session itself, in a message of its own. */
  #say(text: string): void {
    this.#chunk("agent_message_chunk", { type: "text", text: `${text.trimEnd()}\n` });
  }

  #note({ level, text }: NoteItem): void {
    const message = this.#message;
    if (message?.type === "assistant" && message.is_api_error_message) {
      this.#error = { text, id: message.message.id };
      return;
    }
    if (message?.type === "system") {
      // It is the output of a command.
      if (message.subtype === "local_command_output") return this.#say(text);
      // Its call tells it.
      if (message.subtype === "task_notification")
        return this.#notice(level === "error" ? "error" : "info", text, "notice");
      // So does the update of the compaction.
      if (message.subtype === "status" && this.#compactions.areShown) return;
    }
    if (message?.type === "user") return this.#say(text);
    const severity = level === "warning" || level === "error" ? level : "info";
    if (level !== "quiet") this.#notice(severity, text, severity === "info" ? "notice" : "line");
  }

  /** `notice`: it does not matter enough to become a line of the answer where there are no notices. */
  #notice(severity: "info" | "warning" | "error", text: string, otherwise: "line" | "notice" = "line"): void {
    if (!isObject(this.#context.capabilities.session?.notices)) {
      if (otherwise === "line") this.#say(text);
      return;
    }
    const [title = "", ...rest] = text.trim().split("\n");
    const description = rest.join("\n").trim();
    this.#out.push({ sessionUpdate: "notice", severity, title, ...(description === "" ? {} : { description }) });
  }

  #showError(): void {
    const error = this.#error;
    this.#error = undefined;
    if (error === undefined) return;
    const content = { type: "text" as const, text: `${error.text.trimEnd()}\n` };
    this.#out.push({ sessionUpdate: "agent_message_chunk", content, messageId: error.id });
  }

  #call(item: CallItem): void {
    const { id, name, input, label, state, result } = item;
    const status = this.#statusOf(item);
    // Its input is still being written.
    if (state === "pending" && this.#calls.isKnown(id)) return;
    const { cwd } = this.#context;
    const locations = label.locations.map((place) => ({ ...place, path: resolve(cwd, place.path) }));
    const content = this.#contentOf(item, locations);
    const output = isSettled(item) ? (result?.output ?? result?.text) : undefined;
    const ran = state === "done" || (state === "failed" && result !== undefined);
    this.#show(
      {
        toolCallId: id,
        name,
        title: titleLine(callLine(item, label)) || name,
        kind: label.kind,
        status,
        rawInput: input,
        locations,
        ...(content === undefined ? {} : { content }),
        ...(output === undefined ? {} : { rawOutput: boundedValue(output) }),
        _meta: { claudeCode: { toolName: name } },
      },
      ran,
    );
    if (!isSettled(item)) return;
    this.#running.delete(id);
    this.#lastLines.delete(id);
    if (item.inBackground) this.#background.left(id, content ?? []);
  }

  #show(fields: ToolCallFields & { readonly title: string }, ran = true): void {
    this.#out.push(...this.#calls.show(fields, { ran }));
  }

  #statusOf({ id, state }: CallItem): ToolCallStatus {
    if (state === "done") return "completed";
    if (state === "failed" || state === "denied" || state === "interrupted") return "failed";
    return this.#running.has(id) ? "in_progress" : "pending";
  }

  #contentOf(item: CallItem, locations: CallLocation[]): readonly ToolCallContent[] | undefined {
    const { cwd } = this.#context;
    const { id, name, input, state } = item;
    if (state === "pending") return undefined;
    if (!isSettled(item)) {
      if (isAgentCall(name)) return agentContent(item, this.#lastLines.get(id));
      return plannedContent(name, input, cwd);
    }
    // The plan shows what these do.
    if (isTodoCall(name) && state === "done") return [];
    const message = this.#message;
    const blocks = message?.type === "user" ? resultBlocks(message.message.content, id) : [];
    const content = resultContent(item, blocks, cwd);
    const line = firstLine(item);
    if (line !== undefined && locations[0]) locations[0] = { ...locations[0], line };
    return content;
  }

  #endCalls(): void {
    for (const shown of this.#calls.open) {
      const content = [textContent("Stopped before it was done")];
      this.#show({ ...shown, title: shown.title ?? "", status: "failed", content }, false);
    }
    this.#running.clear();
  }
}

/** Commands, skills and prompts of servers, in order; what has no name that could be typed is left out. */
function availableCommands(commands: unknown): readonly AvailableCommand[] {
  if (!Array.isArray(commands)) return [];
  return (commands as unknown[]).filter(isObject).flatMap(({ name, description, argumentHint: hint }) => {
    if (typeof name !== "string" || name === "" || /\s/.test(name)) return [];
    const about = typeof description === "string" ? description : "";
    return [{ name, description: about, ...(typeof hint === "string" && hint !== "" ? { input: { hint } } : {}) }];
  });
}

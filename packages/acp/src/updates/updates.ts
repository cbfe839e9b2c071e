// The messages of a session, as an editor is shown them. Pure: the same messages give the same updates, whether they come
// live or from a transcript.

import { resolve } from "node:path";
import {
  callLine,
  ConversationReader,
  isAgentCall,
  isSettled,
  isTodoCall,
  labelOf,
  SessionTodos,
  TextParts,
  withoutCompactError,
  type CallItem,
  type ConversationItem,
  type NoteItem,
  type PromptItem,
  type PermissionAsk,
} from "@keelson/client";
import { readAsk } from "@keelson/client/permission-ask";
import {
  isList,
  blocksOf,
  isObject,
  isText,
  isToolResult,
  isToolUse,
  type CallLocation,
  type ModelMessage,
  type Outbound,
  type ResultMessage,
  type SystemMessage,
  type ToolResultBlock,
} from "@keelson/protocol";
import { promptTitle } from "@keelson/protocol/attached";
import type {
  AvailableCommand,
  ClientCapabilities,
  ContentPart,
  SessionUpdate,
  ToolCallContent,
  ToolCallFields,
  ToolCallStatus,
} from "../schema/types.ts";
import { ASIDE_COMMAND } from "../turns/asides.ts";
import { endsInError } from "../turns/stop-reason.ts";
import { boundedText, boundedValue } from "./bounded.ts";
import {
  agentContent,
  diffsOf,
  firstLine,
  titleLine,
  plannedContent,
  resultBlocks,
  resultContent,
  textContent,
} from "./call-content.ts";
import { BackgroundWork, taskEndsIn, type TaskMessage } from "./background.ts";
import { Compactions } from "./compactions.ts";
import { commandOutput, fencedText } from "./fence.ts";
import { KeptShows, storedId, type KeptShow } from "./kept.ts";
import { promptParts } from "./prompt-parts.ts";
import { ShownCalls } from "./shown-calls.ts";
import { ShownTexts } from "./shown-texts.ts";
import { UsageReader } from "./usage.ts";

export interface UpdatesContext {
  readonly cwd: string;
  readonly capabilities: ClientCapabilities;
  newId(): string;
  /** The conversation began earlier, and its beginning does not come. */
  readonly isContinued?: boolean;
  /** Whether the reply to a prompt of this editor will say how the run ended. */
  owes?(result: ResultMessage): boolean;
  /** Takes note of what is shown and the conversation does not have. */
  keep?(show: KeptShow): void;
  /** What was kept of the conversation that comes. */
  readonly kept?: Iterable<KeptShow>;
}

type ChunkKind = "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk";

const CHUNKS = { answer: "agent_message_chunk", thinking: "agent_thought_chunk" } as const;

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
  readonly #texts = new ShownTexts();
  /** Calls that run, as far as messages tell; others may wait for approval. */
  readonly #running = new Set<string>();
  /** What calls that run have printed so far. */
  readonly #printed = new Map<string, ToolCallContent>();
  /** The last line that the subagent of a call wrote. */
  readonly #lastLines = new Map<string, string>();
  /** Of subagents' calls: the call that started the subagent, and what they are. */
  readonly #inner = new Map<string, { readonly parent: string; readonly name: string; readonly input: unknown }>();
  /** Calls that are shown by themselves and that the conversation does not have. */
  readonly #besides = new Set<string>();
  readonly #background = new BackgroundWork();
  /** As messages say; undefined before the first. */
  #mode: string | undefined;
  readonly #compactions: Compactions;
  readonly #kept: KeptShows;
  /** The last message that the transcript has, of those that came. */
  #stored: string | undefined;
  /** What is to be kept before the first of them. */
  readonly #first: Pick<KeptShow, "update" | "restarts">[] = [];
  /** What is shown now was kept. */
  #isKept = false;
  /** Until it has another one, the first prompt is the title of a session. */
  #isTitled: boolean;
  /** An error of a run. The reply to the prompt says it; without such a reply, it is shown. */
  #error: { readonly text: string; readonly id: string } | undefined;

  constructor(context: UpdatesContext) {
    this.#context = context;
    this.#compactions = new Compactions(context);
    this.#kept = new KeptShows(context.kept ?? []);
    this.#isTitled = context.isContinued === true;
    this.#reader = new ConversationReader({
      cwd: context.cwd,
      newText: () => new TextParts(),
      add: (item) => this.#add(item),
      change: (item, delta) => (item.kind === "call" ? this.#call(item) : this.#grow(item, delta)),
      remove: (item) => {
        if (item.kind === "call") this.#neverCame(item);
        else this.#lost(item, { startsOver: true });
        return false;
      },
      lost: (item) => this.#lost(item, { startsOver: false }),
      clear: () => {
        this.#endCalls();
        // The next conversation has its own transcript, which does not have this message.
        this.#stored = undefined;
      },
    });
  }

  /** What an editor is shown for one message of the stream, in order. Questions of the session, too, are to be taken. */
  take(message: Outbound): readonly SessionUpdate[] {
    this.#message = message;
    if (message.type === "stream_event" && message.event.type === "message_start" && !message.parent_tool_use_id)
      this.#replyId = message.event.message.id;
    this.#mark(message);
    this.#before(message);
    const id = storedId(message);
    const before = id === undefined ? [] : this.#atStored(id);
    this.#reader.take(withoutCompactError(message), 0);
    this.#after(message);
    const shown = this.#drain();
    if (id === undefined) return shown;
    const after = this.#keptAt("after", id);
    return before.length + after.length === 0 ? shown : [...before, ...shown, ...after];
  }

  /** Every call that is not final is ended, at the end of a turn or of everything that was said so far. */
  finish(of: "turn" | "everything"): readonly SessionUpdate[] {
    this.#reader.settle(0);
    this.#endCalls(of);
    this.#texts.settle();
    this.#showError();
    return [...this.#drain(), ...this.#compactions.takeHeld()];
  }

  /** The prompt with this id was typed in this editor, which shows it already. */
  typed(uuid: string): void {
    this.#reader.typed(uuid);
  }

  /** A question beside the conversation, which this editor shows already, and its answer. */
  aside(question: string, answer: string): readonly SessionUpdate[] {
    const chunk = (sessionUpdate: ChunkKind, text: string) =>
      ({ sessionUpdate, content: { type: "text", text }, messageId: this.#context.newId() }) as const;
    this.#keep({ update: chunk("user_message_chunk", question) });
    const said = chunk("agent_message_chunk", `${answer.trimEnd()}\n`);
    this.#keep({ update: said });
    return [said];
  }

  /** Someone approved the call. */
  allowed(callId: string): readonly SessionUpdate[] {
    this.#runs(callId);
    return this.#drain();
  }

  /** An open call, as the editor knows it. */
  shown(callId: string): ToolCallFields | undefined {
    return this.#calls.shown(callId);
  }

  #keep(show: Pick<KeptShow, "update" | "restarts">): void {
    if (this.#isKept) return;
    if (this.#stored === undefined) this.#first.push(show);
    else this.#context.keep?.({ message: this.#stored, place: "after", ...show });
  }

  /** A message that the transcript has. What is to be shown before it. */
  #atStored(id: string): readonly SessionUpdate[] {
    this.#stored = id;
    for (const show of this.#first.splice(0)) this.#context.keep?.({ message: id, place: "before", ...show });
    return this.#keptAt("before", id);
  }

  #keptAt(place: KeptShow["place"], id: string): readonly SessionUpdate[] {
    return this.#kept.take(place, id).flatMap((each) => this.#again(each));
  }

  /** Shows what was kept, as it was shown before. */
  #again({ update, restarts }: KeptShow): readonly SessionUpdate[] {
    this.#isKept = true;
    if (update.sessionUpdate === "tool_call") this.#show(update, update.status === "completed");
    else if (update.sessionUpdate !== "compaction_update" || this.#compactions.areShown) this.#out.push(update);
    if (restarts !== undefined)
      this.#texts.startsOver(update.sessionUpdate === "agent_message_chunk" ? "answer" : "thinking", restarts);
    const shown = this.#drain();
    this.#isKept = false;
    return shown;
  }

  #runs(callId: string, more: Partial<ToolCallFields> = {}): void {
    this.#running.add(callId);
    const shown = this.#calls.shown(callId);
    if (shown) this.#show({ ...shown, ...more, title: shown.title ?? "", status: "in_progress" });
  }

  #drain(): readonly SessionUpdate[] {
    const out = this.#out;
    this.#out = [];
    if (out.length === 0) return out;
    const held = this.#compactions.takeHeld();
    return isCompactCommand(out) ? [...out, ...held] : [...held, ...out];
  }

  /** Notes what a message says about calls, before they are shown again because of it. */
  #mark(message: Outbound): void {
    if (message.type === "tool_progress") this.#running.add(message.tool_use_id);
    if (message.type === "tool_running") this.#live(message);
    if (message.type === "assistant" || message.type === "user") {
      const { parent_tool_use_id: parent } = message;
      if (typeof parent === "string") this.#fromAgent(message, parent);
    }
    if (message.type === "system" && message.subtype === "task_started" && message.tool_use_id !== undefined) {
      this.#running.add(message.tool_use_id);
      this.#background.started(message.task_id, message.tool_use_id);
    }
  }

  /** The final output takes the place of what was printed. */
  #live({ tool_use_id: id, output = "", output_cut: isCut }: Outbound & { readonly type: "tool_running" }): void {
    if (output === "" || this.#calls.shown(id) === undefined) return this.#runs(id);
    const content = textContent(fencedText(isCut ? `…\n${output}` : output));
    this.#printed.set(id, content);
    this.#runs(id, { content: [content] });
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
      if (message.type === "user" && isToolResult(block)) this.#endInner(block);
    }
  }

  /** Only calls of subagents that were asked about are shown by themselves. */
  #endInner({ tool_use_id: id, is_error: isError, content: result }: ToolResultBlock): void {
    this.#inner.delete(id);
    const shown = this.#calls.shown(id);
    if (!shown) return;
    const texts = typeof result === "string" ? [result] : result.filter(isText).map(({ text }) => text);
    const said = boundedText(texts.join("\n"));
    // What was asked about is what was done.
    const isChange = isError !== true && shown.content?.some(({ type }) => type === "diff");
    const content = isChange ? shown.content : said === "" ? [] : [textContent(fencedText(said))];
    this.#show({ ...shown, title: shown.title ?? "", status: isError === true ? "failed" : "completed", content });
  }

  #before(message: Outbound): void {
    if (message.type === "result") {
      if (this.#context.owes?.(message) === true && endsInError(message)) this.#error = undefined;
      this.#showError();
    }
    if (message.type === "result" || message.type === "user") this.#texts.settle();
    // A prompt, or another run.
    if (message.type === "user" && message.isReplay) this.#showError();
    if (message.type === "user" && message.isSynthetic)
      for (const end of taskEndsIn(message.message.content)) this.#task(end);
    if (message.type === "control_request" && message.request.subtype === "can_use_tool")
      this.#asked(readAsk(message.request));
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
  #asked({ id, tool, input, kind, patch }: PermissionAsk): void {
    if (id === "" || this.#calls.isKnown(id)) return;
    const inner = this.#inner.get(id);
    const name = inner?.name ?? tool;
    const { cwd } = this.#context;
    const call = { name, input };
    const label = labelOf(call, undefined, cwd);
    const whole = input["content"];
    this.#besides.add(id);
    this.#show({
      toolCallId: id,
      name,
      title: titleLine(callLine(call, label)) || name,
      kind,
      status: "pending",
      rawInput: input,
      locations: label.locations.map((place) => ({ ...place, path: resolve(cwd, place.path) })),
      content: patch
        ? diffsOf(patch, cwd, typeof whole === "string" ? whole : undefined)
        : plannedContent(name, input, cwd),
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
        for (const update of this.#compactions.status(message)) {
          this.#out.push(update);
          // A transcript has only those that changed something.
          if (update.status === "failed") this.#keep({ update });
        }
        break;
      case "session_title_changed":
        this.#title(message.title);
        break;
      case "commands_changed":
        this.#out.push({
          sessionUpdate: "available_commands_update",
          availableCommands: availableCommands(message.commands).concat(availableCommands([ASIDE_COMMAND])),
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

  /** What runs in the background is shown in the call that started it. */
  #task(message: TaskMessage): void {
    const told = this.#background.take(message);
    if (told && message.subtype === "task_notification")
      for (const shown of this.#calls.open) if (parentOf(shown) === told.callId) this.#stopped(shown);
    if (told) this.#out.push(...this.#calls.addTo(told.callId, told.content));
  }

  #title(title: string): void {
    if (title === "") return;
    this.#isTitled = true;
    this.#out.push({ sessionUpdate: "session_info_update", title });
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
        if (this.#message?.type === "user") this.#prompt(item, this.#message.message.content);
        break;
      case "output":
        this.#say(item.as === "plain" ? fencedText(item.text) : commandOutput(item.text));
        break;
      case "note":
        this.#note(item);
        break;
      case "rewind":
        this.#notice("info", item.text);
        break;
      case "limit":
        if (item.isReached) this.#notice("error", "The usage limit of the account is reached");
        else this.#notice("warning", "The account is close to its usage limit", "notice");
        break;
      case "compaction":
        if (this.#message?.type === "system" && this.#message.subtype === "compact_boundary")
          this.#out.push(...this.#compactions.done(this.#message));
        break;
      case "summary":
        this.#out.push(...this.#compactions.summary(item.text));
        break;
      default:
        break;
    }
  }

  #prompt(item: PromptItem, content: ModelMessage["content"]): void {
    const parts = promptParts(item, content);
    const isTitle = item.as === "prompt" && item.from === undefined && !this.#isTitled;
    if (isTitle) this.#title(this.#titleIn(item, content));
    if (!item.typed) for (const part of parts) this.#chunk("user_message_chunk", part);
  }

  /** As lists of sessions have it: of the first text in which the user says something. */
  #titleIn(item: PromptItem, content: ModelMessage["content"]): string {
    const titles = blocksOf(content).map((block) =>
      promptTitle(
        promptParts(item, [block])
          .map((part) => (part.type === "text" ? part.text : ""))
          .join(" "),
      ),
    );
    return titles.find((title) => title !== "") ?? "";
  }

  /** Shows what is new at the end of an answer or a thought: the delta, or all that is not shown yet. */
  #grow(item: ConversationItem<TextParts> & { readonly kind: "answer" | "thinking" }, delta?: string): void {
    const text = this.#texts.take(item, this.#messageId(), delta);
    if (text !== "") this.#chunk(CHUNKS[item.kind], { type: "text", text });
  }

  /** No message will have this text: the reply broke off. */
  #lost(item: ConversationItem<TextParts> & { readonly kind: "answer" | "thinking" }, how: { startsOver: boolean }) {
    const lost = this.#texts.lost(item);
    if (lost === undefined) return;
    const { kind, text, messageId, whole } = lost;
    const update = { sessionUpdate: CHUNKS[kind], content: { type: "text" as const, text }, messageId };
    this.#keep({ update, ...(how.startsOver ? { restarts: whole } : {}) });
    if (how.startsOver) this.#texts.startsOver(kind, whole);
  }

  /** A call whose reply broke off has ended. */
  #neverCame(item: CallItem): void {
    this.#besides.add(item.id);
    this.#call({ ...item, state: "interrupted" });
    this.#besides.delete(item.id);
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
      if (message.subtype === "local_command_output") return this.#say(commandOutput(text));
      // Its call tells it.
      if (message.subtype === "task_notification")
        return this.#notice(level === "error" ? "error" : "info", text, "notice");
      // So does the update of the compaction; what follows from it is an error or the output of the command.
      if (message.subtype === "status") return;
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
    this.#printed.delete(id);
    if (item.inBackground) this.#background.left(id, content ?? []);
  }

  #show(fields: ToolCallFields & { readonly title: string }, ran = true): void {
    const updates = this.#calls.show(fields, { ran });
    this.#out.push(...updates);
    if (updates.length > 0 && this.#besides.has(fields.toolCallId))
      this.#keep({ update: { ...fields, sessionUpdate: "tool_call" } });
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
      const printed = this.#printed.get(id);
      return printed ? [printed] : plannedContent(name, input, cwd);
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

  /** Agents in the background go on when a turn ends. */
  #endCalls(of: "turn" | "everything" = "everything"): void {
    const open = this.#calls.open.filter((shown) => of === "everything" || !this.#calls.isFinal(parentOf(shown)));
    for (const shown of open) this.#stopped(shown);
    this.#running.clear();
    this.#printed.clear();
  }

  #stopped(shown: ToolCallFields): void {
    const content = [textContent("Stopped before it was done")];
    this.#show({ ...shown, title: shown.title ?? "", status: "failed", content }, false);
  }
}

/** Of a subagent's call: the call that started the subagent. */
function parentOf({ _meta: meta }: ToolCallFields): string {
  const { parentToolUseId: parent } = isObject(meta?.["claudeCode"]) ? meta["claudeCode"] : {};
  return typeof parent === "string" ? parent : "";
}

function isCompactCommand([first]: readonly SessionUpdate[]): boolean {
  if (first?.sessionUpdate !== "user_message_chunk" || first.content.type !== "text") return false;
  return /^\/compact\b/.test(first.content.text);
}

/** Commands, skills and prompts of servers, in order; what has no name that could be typed is left out. */
function availableCommands(commands: unknown): readonly AvailableCommand[] {
  if (!isList(commands)) return [];
  return commands.filter(isObject).flatMap(({ name, description, argumentHint: hint }) => {
    if (typeof name !== "string" || name === "" || /\s/.test(name)) return [];
    const about = typeof description === "string" ? description : "";
    return [{ name, description: about, ...(typeof hint === "string" && hint !== "" ? { input: { hint } } : {}) }];
  });
}

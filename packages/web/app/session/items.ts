// The items of a conversation as the page draws them: an item that changes draws itself again, and no other.

import { signal, type Signal } from "@preact/signals";
import { blocksOf, isToolResult, type Outbound, type ToolRunningSignal } from "@keelson/protocol";
import {
  ConversationReader,
  isSettled,
  type ConversationItem,
  type ConversationView,
  type EndItem,
} from "@keelson/client";
import { MarkdownText } from "../transcript/markdown-text.ts";
import { Pictures } from "../transcript/pictures.ts";
import type { KeptItem, KeptNotes } from "./kept-notes.ts";

export type PageItem = ConversationItem<MarkdownText>;

export interface ItemCell {
  readonly key: number;
  readonly item: PageItem;
  /** Changes with the item. */
  readonly version: Signal<number>;
  /** What a call that runs has printed so far. */
  readonly printed?: Signal<string>;
  /** Addresses with the data of its images. */
  pictures(): readonly string[];
}

/** How often what grows is drawn. */
const PAUSE_MS = 33;
/** So many characters of answers are drawn at once. What came all at once is drawn in steps, and the page answers in between. */
const DRAWN_AT_ONCE = 12_000;

export class PageItems {
  /** Older ones get numbers below those that are there. */
  #oldest = 0;
  readonly cells = signal<readonly ItemCell[]>([]);
  readonly #byItem = new Map<PageItem, ItemCell>();
  readonly #changed = new Set<ItemCell>();
  #cells: readonly ItemCell[] = [];
  #isNew = false;
  #key = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #calls = new Map<string, ItemCell>();
  #pictures = new Pictures();
  /** About calls of messages that were not read yet: their results, and what their subagents do. */
  #early: Outbound[] = [];
  readonly #kept: KeptNotes | undefined;
  /** That is being read. */
  #message: Outbound | undefined;
  /** The last message that the transcript has, of those that came. */
  #stored: string | undefined;
  /** What older calls that still run go on with. */
  #olderReaders: ConversationReader<MarkdownText>[] = [];

  /** `kept`: what is said beside the conversation of a session. */
  constructor(kept?: KeptNotes) {
    this.#kept = kept;
  }

  reader(cwd: string): ConversationReader<MarkdownText> {
    const view: ConversationView<MarkdownText> = {
      cwd,
      newText: () => new MarkdownText(),
      add: (item) => this.#add(item),
      change: (item) => {
        this.#complete(item);
        const cell = this.#byItem.get(item);
        if (cell) this.#changed.add(cell);
        this.#drawSoon();
      },
      remove: (item) => {
        this.#byItem.delete(item);
        this.#list(this.#cells.filter((cell) => cell.item !== item));
        return true;
      },
      clear: () => {
        this.#byItem.clear();
        this.#calls.clear();
        this.#early = [];
        this.#olderReaders = [];
        this.#pictures = new Pictures();
        this.#kept?.startOver();
        this.#stored = undefined;
        this.#list([]);
      },
    };
    return new ConversationReader(view);
  }

  /** Sees each message before the reader does. */
  see(message: Outbound): void {
    this.#message = message;
    this.#pictures.see(message);
    if (message.type === "tool_running") this.#print(message);
    const ids = callsOf(message);
    if (ids.length === 0 || ids.some((id) => this.#isOwn(id))) return;
    for (const reader of this.#olderReaders) reader.take(message, Date.now());
    // The newest says it all.
    if (message.type === "tool_running")
      this.#early = this.#early.filter((each) => each.type !== "tool_running" || !callsOf(each).includes(ids[0]!));
    if (this.#early.push(message) > MOST_EARLY) this.#early.shift();
  }

  /** Sees each message after the reader did. */
  seen(message: Outbound): void {
    if (this.#kept === undefined) return;
    if (message.type === "system" && message.subtype === "permission_denied") {
      const item = this.#calls.get(message.tool_use_id)?.item;
      if (item?.kind === "call" && item.denied !== undefined) this.#kept.add("denial", item.id, item.denied);
    }
    const id = storedId(message);
    if (id === undefined) return;
    this.#stored = id;
    for (const item of this.#kept.takeAfter(id))
      if (!this.#isShown(item)) this.#list([...this.#cells, this.#newCell(this.#key++, item)]);
  }

  /** The transcript may have it after all. */
  #isShown(item: KeptItem): boolean {
    return item.kind === "note" && this.#cells.slice(-NEAR).some((cell) => textOf(cell.item) === item.text.trim());
  }

  /** What is known of an item that was shown before. */
  #complete(item: PageItem): void {
    const message = this.#message;
    if (this.#kept === undefined || message === undefined) return;
    if (item.kind === "thinking" && message.type === "assistant") {
      if (item.durationMs === undefined || item.durationMs === 0)
        item.durationMs = this.#kept.get("thought", message.uuid);
      else if (item.done) this.#kept.add("thought", message.uuid, item.durationMs);
    }
    if (item.kind !== "call" || !isSettled(item)) return;
    if (item.denied !== undefined) item.denied = this.#kept.get("denial", item.id) ?? item.denied;
    if (item.agent === undefined) return;
    if (item.agent.seen > 0) this.#kept.add("agent", item.id, item.agent);
    else item.agent = this.#kept.get("agent", item.id) ?? item.agent;
  }

  /** What no transcript has is kept. */
  #keep(item: PageItem): void {
    const { type } = this.#message ?? {};
    if (this.#kept === undefined || this.#stored === undefined) return;
    if (type !== "system" && type !== "result" && type !== "rate_limit_event") return;
    const text = textOf(item);
    if (item.kind === "note" || item.kind === "limit") this.#kept.add("item", this.#stored, item);
    else if (item.kind === "end" && text) this.#kept.add("item", this.#stored, { kind: "note", level: "error", text });
  }

  /** Whether the reader of what is live has this call. */
  #isOwn(id: string): boolean {
    const cell = this.#calls.get(id);
    return cell !== undefined && this.#byItem.has(cell.item);
  }

  #print({ tool_use_id: id, output = "", output_cut: isCut }: ToolRunningSignal): void {
    const printed = this.#calls.get(id)?.printed;
    if (printed) printed.value = isCut ? `…\n${output}` : output;
  }

  #beforeOlder: () => void = () => undefined;

  /** Called before older ones are drawn. */
  beforeOlder(listener: () => void): void {
    this.#beforeOlder = listener;
  }

  /** Puts messages before those that are there. */
  addOlder(messages: readonly Outbound[], cwd: string): void {
    const older: PageItem[] = [];
    const cellsOf = new Map<PageItem, ItemCell>();
    const reader = new ConversationReader<MarkdownText>({
      cwd,
      newText: () => new MarkdownText(),
      add: (item) => {
        this.#pictures.added(item);
        older.push(item);
      },
      change: (item) => {
        const cell = cellsOf.get(item);
        if (cell === undefined) return;
        this.#changed.add(cell);
        this.#drawSoon();
      },
      remove: () => false,
      clear: () => void older.splice(0),
    });
    for (const message of messages) {
      this.#pictures.see(message);
      reader.take(message, 0);
      older.push(...(this.#kept?.takeAfter(storedId(message) ?? "") ?? []));
    }
    // A call may end, and go on, in messages that were there already.
    const open = new Set(older.flatMap((item) => (item.kind === "call" && item.result === undefined ? [item.id] : [])));
    const early = this.#early.filter((message) => callsOf(message).some((id) => open.has(id)));
    for (const message of early) reader.take(message, 0);
    const isLive = early.some(({ type }) => type === "tool_running") && older.some((item) => isOpenCall(item));
    if (isLive) this.#olderReaders.push(reader);
    else reader.settle(0);
    for (const item of older) if (item.kind === "answer") item.text.read();
    this.#oldest -= older.length;
    const cells = older.map((item, at) => this.#newCell(this.#oldest + at, item));
    for (const cell of cells) cellsOf.set(cell.item, cell);
    const isAboutOlder = (id: string) => !this.#calls.has(id);
    this.#early.push(...messages.filter((message) => callsOf(message).some(isAboutOlder)));
    this.#beforeOlder();
    this.#list([...cells, ...this.#cells]);
    this.flush();
  }

  /** Draws what waits now. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const changed = [...this.#changed].reverse();
    this.#changed.clear();
    let left = DRAWN_AT_ONCE;
    for (const cell of changed) {
      const { item, version } = cell;
      if (item.kind === "answer") {
        left -= item.text.read(left);
        if (!item.text.isRead) this.#changed.add(cell);
      }
      version.value++;
    }
    if (this.#isNew) this.cells.value = this.#cells;
    this.#isNew = false;
    if (this.#changed.size > 0) this.#drawSoon();
  }

  #add(item: PageItem): void {
    // An error of the model is said in the conversation already.
    if (item.kind === "end" && this.#cells.slice(-NEAR).some((cell) => textOf(cell.item) === textOf(item))) return;
    this.#complete(item);
    this.#keep(item);
    this.#pictures.added(item);
    const cell = this.#newCell(this.#key++, item);
    this.#byItem.set(item, cell);
    this.#changed.add(cell);
    this.#list([...this.#cells, cell]);
  }

  #newCell(key: number, item: PageItem): ItemCell {
    const own = { key, item, version: signal(0), pictures: () => this.#pictures.of(item) };
    if (item.kind !== "call") return own;
    const cell = { ...own, printed: signal("") };
    this.#calls.set(item.id, cell);
    return cell;
  }

  #list(cells: readonly ItemCell[]): void {
    this.#cells = cells;
    this.#isNew = true;
    this.#drawSoon();
  }

  #drawSoon(): void {
    this.#timer ??= setTimeout(() => this.flush(), PAUSE_MS);
  }
}

/** So many items back the same text is the same thing. */
const NEAR = 4;

/** The id of a message that a transcript has. */
function storedId(message: Outbound): string | undefined {
  if (message.type !== "assistant" && message.type !== "user") return undefined;
  return typeof message.parent_tool_use_id === "string" ? undefined : message.uuid;
}

/** Of what is said beside the conversation, or may be in both. */
function textOf(item: PageItem): string {
  if (item.kind === "note" || item.kind === "output") return item.text.trim();
  return item.kind === "end" ? endText(item) : "";
}

/** What a person is told of an end. Empty if it was an ordinary one. */
export function endText({ result }: EndItem): string {
  // The interruption is already there.
  const isAborted = result.terminal_reason === "aborted_streaming" || result.terminal_reason === "aborted_tools";
  if (!result.is_error || isAborted) return "";
  const text = "errors" in result && result.errors ? result.errors.join(", ") : "result" in result ? result.result : "";
  return text?.trim() || `The run ended: ${result.subtype}`;
}

/** So many messages about calls that were not read are kept. */
const MOST_EARLY = 400;

const isOpenCall = (item: PageItem) => item.kind === "call" && !isSettled(item);

/** The calls that a message is about. */
function callsOf(message: Outbound): readonly string[] {
  if (message.type === "tool_running" || message.type === "tool_progress") return [message.tool_use_id];
  if (message.type !== "user" && message.type !== "assistant") return [];
  if (typeof message.parent_tool_use_id === "string") return [message.parent_tool_use_id];
  return message.type === "user"
    ? blocksOf(message.message.content)
        .filter(isToolResult)
        .map(({ tool_use_id: id }) => id)
    : [];
}

// The conversation as rows: what is final is handed out once and in order, the rest is rendered anew for each frame.

import { ConversationReader, isTodoCall, type ConversationItem } from "@keelson/client";
import type { Outbound, PromptMessage } from "@keelson/protocol";
import { gapBefore } from "../blocks/gap.ts";
import { answerRows, renderItem } from "../blocks/item.ts";
import type { ItemLook } from "../blocks/look.ts";
import { renderRetry } from "../blocks/notes.ts";
import { cleanRow } from "../screen/clean.ts";
import { fit } from "../screen/rows.ts";
import type { Frame } from "../screen/view.ts";
import { isDone, type StreamItem } from "./item.ts";
import { ItemList } from "./item-list.ts";
import { Past } from "./past.ts";
import { StreamedText } from "./streamed-text.ts";
import { worded } from "./wording.ts";

/** A session that is resumed may have a hundred thousand rows. */
const MOST_AT_ONCE = 1_000;

export interface ConversationOptions {
  readonly cwd: string;
  /** The key of an action, as it is shown. */
  hint?(action: string): string | undefined;
  /** `showTurnDuration` of the settings. Defaults to true. */
  readonly showDuration?: boolean;
  /** How much of the run that ends now was spent waiting for the user. */
  waitedMs?(now: number): number;
  /** For screen readers. */
  readonly spoken?: boolean;
  /** Whether everything is shown in full, as in the transcript viewer. Asked for each item. */
  verbose?(): boolean;
}

export class Feed {
  readonly #options: ConversationOptions;
  readonly #items = new ItemList();
  readonly #reader: ConversationReader<StreamedText>;
  /** For viewers. */
  readonly past = new Past();
  /** When the message came that is read now. */
  #now = 0;
  /** The kind of the last item that was written. */
  #last: StreamItem["kind"] | undefined;
  #resets = 0;
  #held: ConversationItem<StreamedText>[] | undefined;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.#reader = new ConversationReader({
      cwd: options.cwd,
      newText: () => new StreamedText(),
      add: (item) => this.#add(item),
      change: (item) => {
        // The todo list does not show that a call failed.
        if (item.kind === "call" && item.result?.isError && isTodoCall(item.name))
          this.add({ kind: "note", level: "error", text: `${item.name}: ${item.result.text}` });
      },
      remove: (item) => this.#items.remove(item),
      settled: () => this.#items.close(),
      clear: () => {
        this.#items.clear();
        this.past.clear();
        this.#last = undefined;
        this.#resets += 1;
      },
    });
  }

  take(message: Outbound, now: number): void {
    this.#now = now;
    this.#reader.take(message, now);
  }

  /** Shows a prompt before the session repeats it. */
  addPrompt(prompt: PromptMessage): void {
    this.#reader.addPrompt(prompt);
  }

  /** The prompt with this id was typed here, so that a screen reader has said it. */
  typed(uuid: string): void {
    this.#reader.typed(uuid);
  }

  /** Shows something that is not in the stream, such as a local notice. */
  add(item: StreamItem): void {
    this.#items.add(item);
  }

  /** A call waits until the user has answered. */
  asked(callId: string): void {
    this.#reader.asked(callId);
  }

  /** It does not wait any more. */
  answered(callId: string, now: number): void {
    this.#reader.answered(callId, now);
  }

  /** Finishes everything that is open: the replay of a session is over, or the session is. */
  settle(now: number): void {
    this.#reader.settle(now);
  }

  /** How often the conversation was cleared. What was written before belongs to another one. */
  get resets(): number {
    return this.#resets;
  }

  /** Items that are not written yet, oldest first. */
  get unfinished(): readonly StreamItem[] {
    return this.#items.all;
  }

  /**
   * The rows that became final since the last call, in order. Each is returned once. If `hasMore` is true after it, there
   * were too many to hold at once.
   */
  finished(frame: Frame): string[] {
    const items = this.#items;
    const look = this.#lookOf(frame);
    const rows: string[] = [];
    for (let item = items.first; item !== undefined && rows.length < MOST_AT_ONCE; item = items.first) {
      if (item.kind === "answer") this.#write(rows, item, answerRows(item, look));
      if (!isDone(item)) break;
      if (item.kind !== "answer") this.#write(rows, item, this.#render(item, look));
      items.shift();
      // One string instead of thousands of pieces.
      if (item.kind === "answer") item.text.whole();
      this.past.add(item);
    }
    return rows;
  }

  /** Whether `finished` has rows that it did not return yet. */
  get hasMore(): boolean {
    const { first } = this.#items;
    return first !== undefined && isDone(first);
  }

  /** The rest, as it is now. If there is not enough room, its newest rows. */
  live(frame: Frame): readonly string[] {
    if (this.hasMore) return [];
    const look = this.#lookOf(frame);
    const rows: string[] = [];
    let last = this.#last;
    for (const item of this.#items.all) {
      const more = this.#render(item, look, frame.rows);
      if (more.length === 0) continue;
      const begun = item.kind === "answer" && item.text.begun;
      if (!begun && gapBefore(item.kind, last)) rows.push("");
      for (const row of more) rows.push(row);
      last = item.kind;
    }
    const { retry } = this.#reader;
    if (retry !== undefined) rows.push(...(last === undefined ? [] : [""]), renderRetry(retry, look));
    return bounded(rows, frame);
  }

  /** Milliseconds until a row of `live` looks different by itself. */
  nextChange(now: number): number | undefined {
    if (this.hasMore) return 0;
    const { retry } = this.#reader;
    return retry !== undefined || this.#items.all.some(hasClock) ? 1000 - (now % 1000) : undefined;
  }

  /** How a run ends is not shown until it is known whether its prompt is taken back. */
  holdEnd(): void {
    this.#held = [];
  }

  releaseEnd({ isShown }: { readonly isShown: boolean }): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    if (isShown) for (const item of held) this.#add(item);
  }

  #add(item: ConversationItem<StreamedText>): void {
    if (this.#held && (item.kind === "interruption" || item.kind === "end" || item.kind === "rewind")) {
      this.#held.push(item);
      return;
    }
    const { showDuration = true, waitedMs } = this.#options;
    const now = this.#now;
    const shown = worded(item, { now, showDuration, waitedMs: waitedMs?.(now) ?? 0 });
    if (shown) this.#items.add(shown);
  }

  #write(rows: string[], item: StreamItem, more: readonly string[]): void {
    if (more.length === 0) return;
    const begun = item.kind === "answer" && item.text.begun;
    if (!begun && gapBefore(item.kind, this.#last)) rows.push("");
    for (const row of more) rows.push(row);
    if (item.kind === "answer") item.text.begun = true;
    this.#last = item.kind;
  }

  /** Answers are complete anyway, and come in parts. */
  #render(item: StreamItem, look: ItemLook, maxRows?: number): string[] {
    const whole = item.kind !== "answer" && this.#options.verbose?.() === true;
    return renderItem(item, { ...look, whole }, maxRows);
  }

  #lookOf({ columns, theme, now }: Frame): ItemLook {
    const { cwd, hint, spoken = false } = this.#options;
    return { columns, theme, now, cwd, whole: false, spoken, key: (action) => cleanRow(hint?.(action) ?? "") };
  }
}

/** Whether it shows a time that continues. */
function hasClock(item: StreamItem): boolean {
  if (item.kind === "thinking") return !item.done;
  if (item.kind === "call") return !isDone(item) && item.state !== "waiting";
  return item.kind === "reads" && item.calls.some(hasClock);
}

function bounded(rows: string[], { rows: most, columns, theme }: Frame): readonly string[] {
  if (rows.length <= most) return rows;
  if (most < 1) return [];
  const hidden = rows.length - most + 1;
  return [theme.paint("dim", fit(`  … ${hidden} more rows above`, columns)), ...rows.slice(hidden)];
}

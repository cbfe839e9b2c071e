// The items that are not written yet, in order, and the calls in them. Calls that only read are joined.

import { isReadOnlyCall, isShownElsewhere } from "../blocks/calls/tools.ts";
import { isDone, type CallItem, type ReadsItem, type StreamItem, type ThinkingItem } from "./item.ts";

/** Then another line begins, so that what is kept until it is written stays small. */
const MOST_JOINED = 100;

export class ItemList {
  #items: StreamItem[] = [];
  /** The line that further reads join. Only thoughts come after it. */
  #open: ReadsItem | undefined;
  readonly #calls = new Map<string, CallItem>();

  get first(): StreamItem | undefined {
    return this.#items[0];
  }

  get all(): readonly StreamItem[] {
    return this.#items;
  }

  shift(): void {
    const item = this.#items.shift();
    if (item?.kind === "call") this.#calls.delete(item.id);
    if (item?.kind === "reads") for (const { id } of item.calls) this.#calls.delete(id);
  }

  add(item: StreamItem): void {
    if (item.kind === "call") {
      this.#calls.set(item.id, item);
      if (isShownElsewhere(item.name)) return;
      if (isReadOnlyCall(item.name)) {
        this.#join(item);
        return;
      }
    }
    if (item.kind !== "thinking") this.#close();
    this.#items.push(item);
  }

  remove(item: StreamItem): void {
    if (item.kind === "call") {
      this.#calls.delete(item.id);
      for (const each of this.#items) {
        if (each.kind !== "reads" || !each.calls.includes(item)) continue;
        each.calls.splice(each.calls.indexOf(item), 1);
        if (each.calls.length > 0) return;
        if (this.#open === each) this.#open = undefined;
        this.#items = this.#items.filter((other) => other !== each);
        return;
      }
    }
    this.#items = this.#items.filter((other) => other !== item);
  }

  call(id: string): CallItem | undefined {
    return this.#calls.get(id);
  }

  calls(): Iterable<CallItem> {
    return this.#calls.values();
  }

  /** A call that no item shows is forgotten with its result. */
  settled(call: CallItem): void {
    if (isShownElsewhere(call.name)) this.#calls.delete(call.id);
  }

  /** The run is over: nothing joins what was read in it, and calls without a result get none. */
  endRun(): void {
    this.#close();
    for (const call of this.#calls.values()) if (!isDone(call)) call.dropped = true;
    for (const [id, { name }] of this.#calls) if (isShownElsewhere(name)) this.#calls.delete(id);
  }

  clear(): void {
    this.#items = [];
    this.#open = undefined;
    this.#calls.clear();
  }

  #join(call: CallItem): void {
    // What the model thought between two reads does not part them.
    const last = this.#open;
    if (last && last.calls.length < MOST_JOINED) {
      const thoughts = this.#items.slice(this.#items.lastIndexOf(last) + 1);
      if (thoughts.every(isDone)) {
        this.#items = this.#items.slice(0, this.#items.length - thoughts.length);
        last.thoughts.push(...(thoughts as ThinkingItem[]));
        last.calls.push(call);
        return;
      }
    }
    this.#close();
    this.#open = { kind: "reads", calls: [call], thoughts: [], closed: false };
    this.#items.push(this.#open);
  }

  #close(): void {
    if (this.#open) this.#open.closed = true;
    this.#open = undefined;
  }
}

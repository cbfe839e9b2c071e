// The items that are not written yet, in order. Calls that only read are joined.

import { isTodoCall, type CallItem, type ThinkingItem } from "@keelson/client";
import { isDone, type ReadsItem, type StreamItem } from "./item.ts";

/** Then another line begins, so that what is kept until it is written stays small. */
const MOST_JOINED = 100;

export class ItemList {
  #items: StreamItem[] = [];
  /** The line that further reads join. Only thoughts come after it. */
  #open: ReadsItem | undefined;

  get first(): StreamItem | undefined {
    return this.#items[0];
  }

  get all(): readonly StreamItem[] {
    return this.#items;
  }

  shift(): void {
    this.#items.shift();
  }

  add(item: StreamItem): void {
    if (item.kind === "call") {
      // The todo list shows what it does.
      if (isTodoCall(item.name)) return;
      if (onlyReads(item)) {
        this.#join(item);
        return;
      }
    }
    if (item.kind !== "thinking") this.close();
    this.#items.push(item);
  }

  /** False if something of it was written. */
  remove(item: StreamItem): boolean {
    if (item.kind === "answer" && item.text.begun) return false;
    if (item.kind === "call") {
      for (const each of this.#items) {
        if (each.kind !== "reads" || !each.calls.includes(item)) continue;
        each.calls.splice(each.calls.indexOf(item), 1);
        if (each.calls.length > 0) return true;
        if (this.#open === each) this.#open = undefined;
        this.#items = this.#items.filter((other) => other !== each);
        return true;
      }
    }
    this.#items = this.#items.filter((other) => other !== item);
    return true;
  }

  clear(): void {
    this.#items = [];
    this.#open = undefined;
  }

  /** Nothing joins what was read until now. */
  close(): void {
    if (this.#open) this.#open.closed = true;
    this.#open = undefined;
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
    this.close();
    this.#open = { kind: "reads", calls: [call], thoughts: [], closed: false };
    this.#items.push(this.#open);
  }
}

const onlyReads = ({ label: { kind, server } }: CallItem) =>
  server === undefined && (kind === "read" || kind === "search");

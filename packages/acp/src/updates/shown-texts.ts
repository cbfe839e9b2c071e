// How much of each answer and thought is shown. What is shown cannot be taken back, so a reply that starts over does not repeat it.

import type { AnswerItem, TextParts, ThinkingItem } from "@keelson/client";

type TextItem = AnswerItem<TextParts> | ThinkingItem;

interface ShownText {
  /** How many characters of its text are shown. */
  length: number;
  /** What was shown for it, which is not all of them if it starts as another one did. */
  readonly chunks: string[];
  readonly messageId: string;
}

/** A text that no message of the conversation will have. */
export interface LostText {
  readonly kind: TextItem["kind"];
  readonly messageId: string;
  readonly text: string;
  /** All that is shown by now, with what an earlier reply had said already. */
  readonly whole: string;
}

export class ShownTexts {
  readonly #shown = new WeakMap<TextItem, ShownText>();
  /** The part of an unfinished reply that is shown, until its successor has said as much. */
  readonly #left = new Map<TextItem["kind"], string>();

  /** What is new at its end. Nothing while there is only white space, which some replies have in front of a call. */
  take(item: TextItem, messageId: string, delta?: string): string {
    const shown = this.#shown.get(item);
    if (shown) {
      const text = delta ?? wholeOf(item).slice(shown.length);
      shown.length += text.length;
      shown.chunks.push(text);
      return text;
    }
    const text = wholeOf(item);
    if (text.trim() === "") return "";
    const left = this.#left.get(item.kind) ?? "";
    if (left.length > text.length && left.startsWith(text)) return "";
    this.#left.delete(item.kind);
    const rest = text.startsWith(left) ? text.slice(left.length) : `\n\n${text}`;
    this.#shown.set(item, { length: text.length, chunks: [rest], messageId });
    return rest;
  }

  /** What is shown of it, and is lost with it. Undefined if that is nothing. */
  lost(item: TextItem): LostText | undefined {
    const shown = this.#shown.get(item);
    if (shown === undefined) return undefined;
    const { chunks, messageId, length } = shown;
    return { kind: item.kind, messageId, text: chunks.join(""), whole: wholeOf(item).slice(0, length) };
  }

  /** The reply that this text belongs to starts over. */
  startsOver(kind: TextItem["kind"], whole: string): void {
    this.#left.set(kind, whole);
  }

  /** There is a whole reply, or none will come. */
  settle(): void {
    this.#left.clear();
  }
}

const wholeOf = (item: TextItem): string => (item.kind === "answer" ? item.text.whole() : item.text);

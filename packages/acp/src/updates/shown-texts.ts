// How much of each answer and thought is shown. What is shown cannot be taken back, so a reply that starts over does not repeat it.

import type { AnswerItem, TextParts, ThinkingItem } from "@keelson/client";

type TextItem = AnswerItem<TextParts> | ThinkingItem;

export class ShownTexts {
  /** In characters. */
  readonly #shown = new WeakMap<TextItem, number>();
  /** The part of an unfinished reply that is shown, until its successor has said as much. */
  #left: { readonly kind: TextItem["kind"]; readonly text: string } | undefined;

  /** What is new at its end. Nothing while there is only white space, which some replies have in front of a call. */
  take(item: TextItem, delta?: string): string {
    const shown = this.#shown.get(item) ?? 0;
    const text = shown > 0 && delta !== undefined ? delta : wholeOf(item).slice(shown);
    if (shown > 0) return this.#show(item, shown + text.length, text);
    if (text.trim() === "") return "";
    const left = this.#left?.kind === item.kind ? this.#left.text : "";
    if (left.length > text.length && left.startsWith(text)) return "";
    if (left !== "") this.#left = undefined;
    const rest = text.startsWith(left) ? text.slice(left.length) : `\n\n${text}`;
    return this.#show(item, text.length, rest);
  }

  /** The reply that it belongs to starts over. */
  startsOver(item: TextItem): void {
    const shown = this.#shown.get(item) ?? 0;
    if (shown > 0) this.#left = { kind: item.kind, text: wholeOf(item).slice(0, shown) };
  }

  /** There is a whole reply, or none will come. */
  settle(): void {
    this.#left = undefined;
  }

  #show(item: TextItem, shown: number, text: string): string {
    this.#shown.set(item, shown);
    return text;
  }
}

const wholeOf = (item: TextItem): string => (item.kind === "answer" ? item.text.whole() : item.text);

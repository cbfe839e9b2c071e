// A draft: its text, what is attached to it, and what it is for.

import { TextBuffer, type TextPoint } from "./text-buffer.ts";
import { Attachments } from "./paste/attachments.ts";
import { imagePaths } from "./paste/image-path.ts";
import type { HistoryEntry } from "./history.ts";
import type { PastedImage } from "../host.ts";
import type { PromptEffect, PromptMode, SubmitEffect } from "./effects.ts";

const SIGNS: Readonly<Record<PromptMode, string>> = { prompt: "", shell: "!", memory: "#" };

export class PromptDraft {
  readonly buffer = new TextBuffer();
  readonly attachments = new Attachments();
  mode: PromptMode = "prompt";
  /** The draft that was thrown away last, as long as nothing else was written. */
  #thrown: { readonly mode: PromptMode; readonly text: string } | undefined;
  /** Images that are being read, with what was pasted for each. */
  readonly #reading = new Map<number, string>();
  /** The paste that became a placeholder last: pasting it again shows it. */
  #lastPaste: { placeholder: string; text: string } | undefined;

  /** The paste that can be shown by pasting it again. */
  get pasted(): object | undefined {
    return this.#lastPaste;
  }

  get isReading(): boolean {
    return this.#reading.size > 0;
  }

  /** As a line of the history, with the sign of its mode. */
  entry(): HistoryEntry {
    const text = this.buffer.text();
    return { display: SIGNS[this.mode] + text, pastedContents: this.attachments.pastedIn(text) };
  }

  /** Takes a line of the history. It is one step of undo. */
  setEntry({ display, pastedContents }: HistoryEntry): void {
    this.attachments.load(pastedContents);
    // A text of several lines that starts with `#` is Markdown.
    const isNote = display.startsWith("#") && !display.includes("\n");
    this.mode = display.startsWith("!") ? "shell" : isNote ? "memory" : "prompt";
    this.buffer.setText(this.mode === "prompt" ? display : display.slice(1));
  }

  /** Sends it: what was written, and an empty draft. */
  submit(): SubmitEffect {
    const display = this.buffer.text();
    const effect: SubmitEffect = {
      kind: "submit",
      mode: this.mode,
      text: this.attachments.expand(display),
      line: this.entry(),
      images: this.attachments.imagesIn(display),
    };
    this.clear();
    return effect;
  }

  /** Empties it, as one step of undo. */
  throwAway(): void {
    this.#thrown = { mode: this.mode, text: this.buffer.text() };
    this.buffer.setText("");
    this.mode = "prompt";
    this.#lastPaste = undefined;
  }

  undo(): void {
    this.buffer.undo();
    if (this.#thrown?.text === this.buffer.text()) this.mode = this.#thrown.mode;
    if (!this.buffer.isEmpty) this.#thrown = undefined;
  }

  clear(): void {
    this.#thrown = undefined;
    this.buffer.reset();
    this.mode = "prompt";
    this.#lastPaste = undefined;
  }

  /** Inserts what was pasted: as it is, as a placeholder, or as images that have to be read. */
  paste(text: string): PromptEffect | undefined {
    // A terminal that cannot paste an image pastes nothing.
    if (text === "") return { kind: "paste-image" };
    const paths = this.mode === "prompt" ? imagePaths(text) : undefined;
    if (paths) return this.#pasteImages(text, paths);
    if (this.#expandLast(text)) return undefined;
    const placeholder = this.attachments.addText(text);
    this.buffer.insert(placeholder ?? text);
    if (placeholder !== undefined) this.#lastPaste = { placeholder, text };
    return undefined;
  }

  insertImage(image: PastedImage): void {
    this.buffer.insert(`${this.attachments.addImage(image).placeholder} `);
  }

  /** An image was read. Without one, what was pasted takes the place of the placeholder. */
  imageRead(id: number, image: PastedImage | undefined): void {
    const pasted = this.#reading.get(id);
    this.#reading.delete(id);
    if (image) this.attachments.setImage(id, image);
    else if (pasted !== undefined) this.#exchange(`[Image #${id}]`, pasted);
  }

  /** Removes the placeholder before or after the cursor as a whole. False if there is none. */
  removePlaceholder(side: "before" | "after"): boolean {
    const { line, offset } = this.buffer.cursor;
    const text = this.buffer.lineText(line);
    if (text[side === "before" ? offset - 1 : offset] !== (side === "before" ? "]" : "[")) return false;
    const found = this.attachments.placeholderAt(text, offset, side);
    if (!found) return false;
    this.buffer.replace({ line, offset: found.start }, { line, offset: found.end }, "");
    return true;
  }

  #pasteImages(text: string, paths: readonly string[]): PromptEffect {
    const images = paths.map((path) => ({ ...this.attachments.addImage(), path }));
    for (const { id, path } of images) this.#reading.set(id, images.length === 1 ? text : path);
    this.buffer.insert(`${images.map(({ placeholder }) => placeholder).join(" ")} `);
    return { kind: "read-images", images: images.map(({ id, path }) => ({ id, path })) };
  }

  #expandLast(text: string): boolean {
    const last = this.#lastPaste;
    const { line, offset } = this.buffer.cursor;
    if (!last || last.text !== text) return false;
    const start = offset - last.placeholder.length;
    if (start < 0 || !this.buffer.lineText(line).startsWith(last.placeholder, start)) return false;
    this.buffer.replace({ line, offset: start }, { line, offset }, text);
    this.#lastPaste = undefined;
    return true;
  }

  #exchange(placeholder: string, text: string): void {
    const { cursor } = this.buffer;
    for (const [line, { text: content }] of this.buffer.lines.entries()) {
      const offset = content.indexOf(placeholder);
      if (offset === -1) continue;
      // The placeholder came with a space.
      const end = offset + placeholder.length;
      this.buffer.replace({ line, offset }, { line, offset: content[end] === " " ? end + 1 : end }, text);
      if (!isWithin(cursor, line, offset, end + 1)) this.buffer.moveTo(cursor);
      return;
    }
  }
}

function isWithin(point: TextPoint, line: number, start: number, end: number): boolean {
  return point.line === line && point.offset >= start && point.offset <= end;
}

// The prompt: what keys do to the draft, and what they ask the program for.

import type { InputEvent, Key } from "../input/event.ts";
import type { TypedPrompt } from "@keelson/protocol";
import type { PastedImage } from "../host.ts";
import type { Frame, Rendered, View } from "../screen/view.ts";
import type { Bindings } from "../keys/bindings.ts";
import { Completion, type CompletionSources } from "../complete/completion.ts";
import { PromptDraft } from "./draft.ts";
import { Editing } from "./editing.ts";
import { type HistoryEntry, HistoryWalk } from "./history.ts";
import { KillRing } from "./text/kill-ring.ts";
import { PromptHints } from "./hints.ts";
import { ASKS, type PromptEffect, type PromptMode, type SubmitEffect } from "./effects.ts";
import { drawPrompt, textColumns } from "./prompt-view.ts";
import { PromptWalk } from "./walk.ts";
import { Viewport } from "./text/viewport.ts";
import { typeKey } from "./typing.ts";
import { PromptVim } from "./vim/prompt-vim.ts";
import type { VimMode } from "./vim/vim.ts";

export interface PromptOptions {
  readonly bindings: Bindings;
  /** Lines of this folder, newest first. */
  readonly history: () => Promise<readonly HistoryEntry[]>;
  readonly sources: CompletionSources;
  /** Called when it looks different without a key: suggestions or the history have arrived. */
  readonly changed: () => void;
  /** Effects of something that took time. */
  readonly later: (effect: PromptEffect) => void;
  /** The settings' `editorMode` is "vim". */
  readonly vim?: boolean;
  /** For screen readers: a plain sign and no rules. */
  readonly plain?: boolean;
}

/** The rest of a chord. */
const CHORD_MS = 2_000;

export class PromptEditor implements View {
  /** Whether the model works: Esc and Ctrl+C stop it then. */
  working = false;
  /** How many messages wait: Up takes them back. */
  queued = 0;
  /** Shown in an empty prompt. */
  placeholder = "";

  #bindings: Bindings;
  readonly #draft = new PromptDraft();
  readonly #editing = new Editing(this.#draft.buffer, new KillRing());
  readonly #viewport = new Viewport();
  readonly #completion: Completion;
  readonly #history: HistoryWalk;
  readonly #walk: PromptWalk;
  readonly #options: PromptOptions;
  /** What the key before asked for a second press of. */
  #asked: string | undefined;
  #pending: { keys: string; until: number } | undefined;
  readonly #hints = new PromptHints();
  #stash: HistoryEntry | undefined;
  /** Enter was pressed while images were being read. */
  #sendWhenRead = false;
  readonly #vim: PromptVim;

  constructor(options: PromptOptions) {
    this.#options = options;
    this.#bindings = options.bindings;
    this.#completion = new Completion(options.sources, options.changed);
    this.#history = new HistoryWalk(options.history);
    this.#walk = new PromptWalk(this.#draft, this.#history, () => this.#walked());
    this.#vim = new PromptVim(this.#draft.buffer, (key) => this.#typeAgain(key));
    if (options.vim) void this.setVim(true);
  }

  get mode(): PromptMode {
    return this.#draft.mode;
  }

  get isEmpty(): boolean {
    return this.#draft.buffer.isEmpty;
  }

  /** The draft as it is shown, with placeholders. */
  get text(): string {
    return this.#draft.buffer.text();
  }

  /** The draft with the sign of its mode, and how much of it is before the cursor. */
  get line(): { readonly text: string; readonly cursor: number } {
    const { buffer, mode } = this.#draft;
    const sign = mode === "shell" ? "!" : mode === "memory" ? "#" : "";
    const { line, offset } = buffer.cursor;
    const before = Array.from({ length: line }, (_, index) => buffer.lineText(index).length + 1);
    return { text: sign + buffer.text(), cursor: before.reduce((sum, each) => sum + each, sign.length + offset) };
  }

  get isCompleting(): boolean {
    return this.#completion.isOpen;
  }

  /** For the footer; undefined if vim is off. */
  get vimMode(): VimMode | undefined {
    return this.#vim.mode;
  }

  get hasStash(): boolean {
    return this.#stash !== undefined;
  }

  setBindings(bindings: Bindings): void {
    this.#bindings = bindings;
  }

  /** Switches vim on or off. Resolves when its keys are there; until then it is as in INSERT. */
  setVim(on: boolean): Promise<void> {
    return this.#vim.set(on);
  }

  /** What was done, or what the next press of a key would do; for the footer. */
  hint(now: number): string | undefined {
    return this.#hints.text(now);
  }

  /** Milliseconds until the hint goes away. */
  nextChange(now: number): number | undefined {
    return this.#hints.left(now);
  }

  /** Another text in the place of the draft, as one step of undo. Images that it still names are kept. */
  setText(text: string): void {
    this.#draft.buffer.setText(text.replace(/\r\n?/g, "\n"));
    this.#draft.mode = "prompt";
    this.#edited();
  }

  /** A line of the history in the place of the draft. */
  setLine(line: Pick<TypedPrompt, "display" | "pastedContents">): void {
    this.#draft.setEntry(line);
    this.#edited();
  }

  /** Puts messages taken back before the draft. */
  prepend(texts: readonly string[]): void {
    const rest = this.#draft.buffer.text();
    const [only] = texts;
    if (rest === "" && texts.length === 1 && only!.startsWith("!")) {
      this.setLine({ display: only!, pastedContents: {} });
      return;
    }
    this.setText([...texts, ...(rest === "" ? [] : [rest])].join("\n"));
  }

  /** What was sent and is taken back, with the images it names; before the draft, if there is one. */
  takeBack({ line, images }: Pick<SubmitEffect, "line" | "images">): void {
    for (const { id, image } of images) this.#draft.attachments.setImage(id, image);
    const rest = this.#draft.entry().display;
    this.setLine(line);
    if (rest !== "") this.#draft.buffer.setText([this.text, rest].join("\n"));
    this.#edited();
  }

  insertImage(image: PastedImage): void {
    this.#draft.insertImage(image);
    this.#edited();
  }

  imageRead(id: number, image: PastedImage | undefined): void {
    this.#draft.imageRead(id, image);
    if (this.#sendWhenRead && !this.#draft.isReading) {
      this.#sendWhenRead = false;
      const effect = this.#send();
      if (effect) this.#options.later(effect);
    }
    this.#options.changed();
  }

  render(frame: Frame): Rendered {
    this.#walk.columns = textColumns(frame.columns);
    this.#completion.refresh();
    const { placeholder } = this;
    const look = { draft: this.#draft, viewport: this.#viewport, completion: this.#completion, placeholder };
    return drawPrompt({ ...look, selection: this.#vim.selection(), plain: this.#options.plain ?? false }, frame);
  }

  take(event: InputEvent, now: number): PromptEffect | undefined {
    if (event.kind === "paste") return this.#paste(event.text, now);
    if (event.kind !== "key") return undefined;
    if (!this.#history.isLoaded) void this.#history.load();
    const pending = this.#pending && now < this.#pending.until ? this.#pending.keys : undefined;
    this.#pending = undefined;
    if (this.#vim.isLoaded && pending === undefined && this.#isEscAndKey(event)) {
      const { name, shift } = event;
      const stopped = this.take({ kind: "key", name: "escape", ctrl: false, alt: false, shift: false }, now);
      return stopped ?? this.take({ ...event, alt: false, text: shift ? name.toUpperCase() : name }, now);
    }
    const taken = pending === undefined ? this.#takeVim(event) : undefined;
    if (taken) return taken.effect;
    const meaning = this.#bindings.action(this.#contexts(), event, pending);
    if (meaning?.kind === "pending") {
      this.#pending = { keys: meaning.keys, until: now + CHORD_MS };
      return undefined;
    }
    // The second key of a chord that means nothing is no key of its own.
    if (meaning?.kind === "unbound" || (!meaning && pending !== undefined)) return undefined;
    this.#asked = this.#hints.take(now);
    const effect = meaning ? this.#act(meaning.action, event, now) : this.#type(event);
    this.#vim.settle();
    return effect;
  }

  /** Esc and a letter typed at once look like Alt to a terminal. In vim they are two keys, unless Alt means something. */
  #isEscAndKey(key: Key): boolean {
    const isLetter = key.alt && !key.ctrl && key.super !== true && [...key.name].length === 1;
    return isLetter && this.#bindings.action(this.#contexts(), key) === undefined;
  }

  /** Undefined if the key is not for vim. */
  #takeVim(key: Key): { effect: PromptEffect | undefined } | undefined {
    const before = this.#vim.mode;
    const outcome = this.#vim.take(key);
    if (outcome === "pass") return undefined;
    this.#hints.take(0);
    this.#edited();
    // Esc stops what runs in every mode.
    if (key.name === "escape" && before === "INSERT" && this.working) return { effect: { kind: "interrupt" } };
    if (outcome === "search") return { effect: { kind: "history-search" } };
    if (outcome === "shortcuts") return { effect: { kind: "shortcuts" } };
    if (outcome === "older") return { effect: this.#up() };
    if (outcome === "newer") return { effect: this.#down() };
    return { effect: undefined };
  }

  /** A key of a change that vim does again. */
  #typeAgain(key: Key): void {
    const meaning = this.#bindings.action(["Chat", "Global"], key);
    if (!meaning) this.#type(key);
    else if (meaning.kind === "action" && meaning.action === "chat:newline") this.#insert("\n");
  }

  #contexts(): string[] {
    return [...(this.#completion.isOpen ? ["Autocomplete"] : []), ...(this.working ? ["Task"] : []), "Chat", "Global"];
  }

  #act(action: string, key: Key, now: number): PromptEffect | undefined {
    if (action !== "history:previous" && action !== "history:next") this.#walk.rest();
    const ask = ASKS[action];
    if (ask) return ask;
    switch (action) {
      case "chat:submit":
        return this.#submit();
      case "chat:newline":
        return this.#insert("\n");
      case "chat:cancel":
        return this.#cancel(now);
      case "app:interrupt":
        return this.#interrupt(now);
      case "app:exit":
        return this.isEmpty ? this.#askTwice(action, now, "exit", { kind: "exit" }) : this.#type(key);
      case "chat:undo":
        this.#draft.undo();
        return this.#edited();
      case "chat:redo":
        this.#draft.buffer.redo();
        return this.#edited();
      case "chat:externalEditor":
        return { kind: "open-editor", text: this.#draft.attachments.expand(this.text) };
      case "chat:stash":
        return this.#putAside(now);
      case "history:search":
        return { kind: "history-search" };
      case "history:previous":
        return this.#up();
      case "history:next":
        return this.#down();
      case "autocomplete:accept":
        this.#completion.accept(this.#draft.buffer);
        return undefined;
      case "autocomplete:dismiss":
        this.#completion.close();
        return undefined;
      case "autocomplete:previous":
        this.#completion.move(-1);
        return undefined;
      case "autocomplete:next":
        this.#completion.move(1);
        return undefined;
      default:
        // An action that has no meaning here: the key types what it types.
        return this.#type(key);
    }
  }

  /** A key without an action: it edits the text. */
  #type(key: Key): PromptEffect | undefined {
    this.#walk.rest();
    const typed = typeKey(key, this.#draft, this.#editing);
    if (typed === "shortcuts") return { kind: "shortcuts" };
    if (typed === "replaced") return this.#edited();
    if (typed === "edited" && this.#draft.mode === "prompt") this.#completion.update(this.#draft.buffer);
    return undefined;
  }

  #paste(text: string, now: number): PromptEffect | undefined {
    this.#hints.take(now);
    this.#pending = undefined;
    const before = this.#draft.pasted;
    const effect = this.#draft.paste(text);
    if (this.#draft.pasted !== before && this.#draft.pasted) this.#hints.say("Paste again to show the text", now);
    this.#edited();
    return effect;
  }

  #walked(): void {
    this.#editing.rest();
    this.#completion.reset();
    this.#vim.settle();
    this.#options.changed();
  }

  #insert(text: string): undefined {
    this.#draft.buffer.insert(text);
    return this.#edited();
  }

  /** The text is another one: what depended on it starts anew. */
  #edited(): undefined {
    this.#walk.rest();
    this.#editing.rest();
    this.#completion.reset();
    return undefined;
  }

  #submit(): PromptEffect | undefined {
    const { buffer } = this.#draft;
    const { kind, marked, isWholeFolder } = this.#completion;
    // A colon may begin anything: an emoji is meant only by who moved to it.
    if ((kind === "mention" && !isWholeFolder) || (kind === "emoji" && marked > 0)) {
      this.#completion.accept(buffer);
      return undefined;
    }
    const { line, offset } = buffer.cursor;
    if (buffer.lineText(line)[offset - 1] === "\\") {
      buffer.replace({ line, offset: offset - 1 }, { line, offset }, "\n");
      return this.#edited();
    }
    const command = this.#completion.commandLine();
    if (command !== undefined) buffer.setText(command);
    if (this.#draft.isReading) {
      this.#sendWhenRead = true;
      return undefined;
    }
    return this.#send();
  }

  #send(): PromptEffect | undefined {
    if (this.#draft.buffer.isBlank) return undefined;
    const effect = this.#draft.submit();
    this.#draft.attachments.forgetOld(this.#stash?.display ?? "");
    this.#history.add(effect.line);
    this.#vim.reset();
    this.#edited();
    if (this.#stash) this.#draft.setEntry(this.#stash);
    this.#stash = undefined;
    return effect;
  }

  #cancel(now: number): PromptEffect | undefined {
    if (this.working) return { kind: "interrupt" };
    if (this.isEmpty && this.#draft.mode !== "prompt") {
      this.#draft.mode = "prompt";
      return undefined;
    }
    if (this.isEmpty) return this.#askTwice("chat:cancel", now, "rewind", { kind: "rewind" });
    if (this.#asked !== "chat:cancel") return this.#askTwice("chat:cancel", now, "clear", undefined);
    return this.#discard(now);
  }

  /** Clears the draft. The history has it, undo and yank bring it back. */
  #discard(now: number): PromptEffect | undefined {
    const line = this.#draft.entry();
    const isNew = !this.#draft.buffer.isBlank && !this.#history.isAt(line);
    const { waiting } = this.#history;
    this.#editing.keep(this.text);
    this.#draft.throwAway();
    // A draft from which the walk began is kept, too.
    if (waiting !== undefined && waiting.display.trim() !== "") this.#history.add(waiting);
    if (isNew) this.#history.add(line);
    else this.#history.restart();
    this.#edited();
    const key = this.#bindings.keyFor("Chat", "chat:undo");
    if (isNew && key !== "") this.#hints.say(`Cleared; ${key} brings it back`, now);
    return isNew ? { kind: "discard", line } : undefined;
  }

  #interrupt(now: number): PromptEffect | undefined {
    if (this.working) return { kind: "interrupt" };
    if (this.isEmpty && this.#draft.mode === "prompt") {
      return this.#askTwice("app:interrupt", now, "exit", { kind: "exit" });
    }
    return this.#discard(now);
  }

  /** The first press asks, the second does it. */
  #askTwice(action: string, now: number, verb: string, effect: PromptEffect | undefined): PromptEffect | undefined {
    if (this.#asked === action) return effect;
    const key = this.#bindings.keyFor("Chat", action) || this.#bindings.keyFor("Global", action);
    this.#hints.ask(action, `${key} again to ${verb}`, now);
    return undefined;
  }

  #putAside(now: number): undefined {
    if (this.#draft.buffer.isBlank) {
      if (this.#stash) this.#draft.setEntry(this.#stash);
      this.#stash = undefined;
    } else {
      this.#stash = this.#draft.entry();
      this.#draft.clear();
      this.#hints.say("Draft put aside until the next message is sent", now);
    }
    return this.#edited();
  }

  #up(): PromptEffect | undefined {
    if (this.#walk.moveRow(-1)) return undefined;
    if (this.isEmpty && this.queued > 0) return { kind: "unqueue" };
    this.#walk.older();
    return undefined;
  }

  #down(): undefined {
    if (!this.#walk.moveRow(1)) this.#walk.newer();
    return undefined;
  }
}

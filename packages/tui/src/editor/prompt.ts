// The prompt: what keys do to the draft, and what they ask the program for.

import type { InputEvent, Key } from "../input/event.ts";
import type { HistoryLine, PastedImage } from "../host.ts";
import type { Frame, Rendered, View } from "../screen/view.ts";
import type { Bindings } from "../keys/bindings.ts";
import { Completion, type CompletionSources } from "../complete/completion.ts";
import { spellKey } from "../keys/keystroke.ts";
import { PromptDraft } from "./draft.ts";
import { Editing } from "./editing.ts";
import { type HistoryEntry, HistoryWalk } from "./history.ts";
import { KillRing } from "./text/kill-ring.ts";
import type { PromptEffect, PromptMode } from "./effects.ts";
import { drawPrompt, textColumns } from "./prompt-view.ts";
import { rowMove, Viewport } from "./text/viewport.ts";
import type { Vim, VimMode } from "./vim/vim.ts";

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

/** How long the second press of a key counts as the answer to the first. */
const AGAIN_MS = 1_500;
/** The rest of a chord. */
const CHORD_MS = 2_000;
const COLUMNS = 80;

/** Actions that only ask for something. */
const ASKS: Readonly<Record<string, PromptEffect>> = {
  "app:redraw": { kind: "redraw" },
  "app:suspend": { kind: "suspend" },
  "app:toggleTodos": { kind: "toggle-tasks" },
  "app:toggleTranscript": { kind: "toggle-transcript" },
  "chat:clearInput": { kind: "redraw" },
  "chat:clearScreen": { kind: "redraw" },
  "chat:cycleMode": { kind: "cycle-mode" },
  "chat:fastMode": { kind: "toggle-fast" },
  "chat:imagePaste": { kind: "paste-image" },
  "chat:killAgents": { kind: "stop-agents" },
  "chat:modelPicker": { kind: "model-picker" },
  "chat:thinkingToggle": { kind: "toggle-thinking" },
  "task:background": { kind: "background" },
};

interface Armed {
  readonly by: "interrupt" | "exit" | "cancel";
  readonly until: number;
  readonly hint: string;
}

export class Prompt implements View {
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
  readonly #options: PromptOptions;
  #columns = COLUMNS;
  /** The column that Up and Down keep to. */
  #goal: number | undefined;
  #pending: { keys: string; until: number } | undefined;
  #armed: Armed | undefined;
  #stash: HistoryEntry | undefined;
  /** How often Up was pressed before the history was read. */
  #waitingUps = 0;
  /** Enter was pressed while images were being read. */
  #sendWhenRead = false;
  #usesVim = false;
  #vim: Vim | undefined;

  constructor(options: PromptOptions) {
    this.#options = options;
    this.#bindings = options.bindings;
    this.#completion = new Completion(options.sources, options.changed);
    this.#history = new HistoryWalk(options.history);
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
    return this.#usesVim ? (this.#vim?.mode ?? "INSERT") : undefined;
  }

  get hasStash(): boolean {
    return this.#stash !== undefined;
  }

  setBindings(bindings: Bindings): void {
    this.#bindings = bindings;
  }

  /** Switches vim on or off. Resolves when its keys are there; until then it is as in INSERT. */
  async setVim(on: boolean): Promise<void> {
    this.#usesVim = on;
    this.#vim = undefined;
    if (!on) return;
    // Few use it, and the first frame does not need it.
    const { Vim } = await import("./vim/vim.ts");
    if (this.#usesVim) this.#vim ??= new Vim(this.#draft.buffer, (key) => this.#typeAgain(key));
  }

  /** What the next press of a key would do, for the footer. */
  hint(now: number): string | undefined {
    return this.#armed && now < this.#armed.until ? this.#armed.hint : undefined;
  }

  /** Milliseconds until the hint goes away. */
  nextChange(now: number): number | undefined {
    return this.#armed && now < this.#armed.until ? this.#armed.until - now : undefined;
  }

  /** Another text in the place of the draft, as one step of undo. Images that it still names are kept. */
  setText(text: string): void {
    this.#draft.buffer.setText(text.replace(/\r\n?/g, "\n"));
    this.#draft.mode = "prompt";
    this.#edited();
  }

  /** A line of the history in the place of the draft. */
  setLine(line: Pick<HistoryLine, "display" | "pastedContents">): void {
    this.#draft.setEntry(line);
    this.#edited();
  }

  /** Puts messages taken back before the draft. */
  prepend(texts: readonly string[]): void {
    const rest = this.#draft.buffer.text();
    this.setText([...texts, ...(rest === "" ? [] : [rest])].join("\n"));
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
    this.#columns = textColumns(frame.columns);
    const { placeholder } = this;
    const look = { draft: this.#draft, viewport: this.#viewport, completion: this.#completion, placeholder };
    return drawPrompt({ ...look, selection: this.#vim?.selection(), plain: this.#options.plain ?? false }, frame);
  }

  take(event: InputEvent, now: number): PromptEffect | undefined {
    if (event.kind === "paste") return this.#paste(event.text);
    if (event.kind !== "key") return undefined;
    if (!this.#history.isLoaded) void this.#history.load();
    const pending = this.#pending && now < this.#pending.until ? this.#pending.keys : undefined;
    this.#pending = undefined;
    const taken = pending === undefined ? this.#takeVim(event) : undefined;
    if (taken) return taken.effect;
    const meaning = this.#bindings.action(this.#contexts(), event, pending);
    if (meaning?.kind === "pending") {
      this.#pending = { keys: meaning.keys, until: now + CHORD_MS };
      return undefined;
    }
    // The second key of a chord that means nothing is no key of its own.
    if (meaning?.kind === "unbound" || (!meaning && pending !== undefined)) return undefined;
    const armed = this.#armed && now < this.#armed.until ? this.#armed.by : undefined;
    this.#armed = undefined;
    const effect = meaning ? this.#act(meaning.action, event, now, armed) : this.#type(event);
    this.#vim?.settle();
    return effect;
  }

  /** Undefined if the key is not for vim. */
  #takeVim(key: Key): { effect: PromptEffect | undefined } | undefined {
    const before = this.#vim?.mode;
    const outcome = this.#vim?.take(key) ?? "pass";
    if (outcome === "pass") return undefined;
    this.#armed = undefined;
    this.#edited();
    // Esc stops what runs in every mode.
    if (key.name === "escape" && before === "INSERT" && this.working) return { effect: { kind: "interrupt" } };
    if (outcome === "search") return { effect: { kind: "history-search", query: "" } };
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

  #act(action: string, key: Key, now: number, armed: Armed["by"] | undefined): PromptEffect | undefined {
    if (action !== "history:previous" && action !== "history:next") this.#goal = undefined;
    if (action !== "history:previous") this.#waitingUps = 0;
    const ask = ASKS[action];
    if (ask) return ask;
    switch (action) {
      case "chat:submit":
        return this.#submit();
      case "chat:newline":
        return this.#insert("\n");
      case "chat:cancel":
        return this.#cancel(now, armed === "cancel");
      case "app:interrupt":
        return this.#interrupt(now, armed === "interrupt");
      case "app:exit":
        if (this.isEmpty)
          return this.#askTwice("exit", now, armed === "exit", this.#exitHint("app:exit"), { kind: "exit" });
        return this.#type(key);
      case "chat:undo":
        this.#draft.buffer.undo();
        return this.#edited();
      case "chat:redo":
        this.#draft.buffer.redo();
        return this.#edited();
      case "chat:externalEditor":
        return { kind: "open-editor", text: this.#draft.attachments.expand(this.text) };
      case "chat:stash":
        return this.#putAside();
      case "history:search":
        return { kind: "history-search", query: this.#draft.buffer.lines.length === 1 ? this.text : "" };
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
    this.#goal = undefined;
    this.#waitingUps = 0;
    const { buffer } = this.#draft;
    if (buffer.isEmpty && this.#draft.mode === "prompt" && !key.ctrl && !key.alt) {
      if (key.text === "?") return { kind: "shortcuts" };
      if (key.text === "!" || key.text === "#") {
        this.#draft.mode = key.text === "!" ? "shell" : "memory";
        return undefined;
      }
    }
    const chord = spellKey(key);
    if (chord === "backspace") {
      if (buffer.cursor.line === 0 && buffer.cursor.offset === 0 && this.#draft.mode !== "prompt") {
        this.#draft.mode = "prompt";
        return undefined;
      }
      if (this.#draft.removePlaceholder("before")) return this.#edited();
    }
    if (chord === "delete" && this.#draft.removePlaceholder("after")) return this.#edited();
    if (this.#editing.take(key) && this.#draft.mode === "prompt") this.#completion.update(buffer);
    return undefined;
  }

  #paste(text: string): PromptEffect | undefined {
    this.#armed = undefined;
    this.#pending = undefined;
    const effect = this.#draft.paste(text);
    this.#edited();
    return effect;
  }

  #insert(text: string): undefined {
    this.#draft.buffer.insert(text);
    return this.#edited();
  }

  /** The text is another one: what depended on it starts anew. */
  #edited(): undefined {
    this.#goal = undefined;
    this.#editing.rest();
    this.#completion.reset();
    return undefined;
  }

  #submit(): PromptEffect | undefined {
    const { buffer } = this.#draft;
    if (this.#completion.kind === "mention") {
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
    this.#history.add(effect.line);
    this.#vim?.reset();
    this.#edited();
    if (this.#stash) this.#draft.setEntry(this.#stash);
    this.#stash = undefined;
    return effect;
  }

  #cancel(now: number, again: boolean): PromptEffect | undefined {
    if (this.working) return { kind: "interrupt" };
    if (this.isEmpty && this.#draft.mode !== "prompt") {
      this.#draft.mode = "prompt";
      return undefined;
    }
    const key = this.#bindings.keyFor("Chat", "chat:cancel");
    if (this.isEmpty) return this.#askTwice("cancel", now, again, `${key} again to rewind`, { kind: "rewind" });
    if (!again) return this.#askTwice("cancel", now, false, `${key} again to clear`, undefined);
    return this.#discard();
  }

  /** Clears the draft and keeps it in the history. */
  #discard(): PromptEffect {
    const line = this.#draft.entry();
    this.#draft.clear();
    this.#history.add(line);
    this.#edited();
    return { kind: "discard", line };
  }

  #interrupt(now: number, again: boolean): PromptEffect | undefined {
    if (this.working) return { kind: "interrupt" };
    if (this.isEmpty && this.#draft.mode === "prompt") {
      return this.#askTwice("interrupt", now, again, this.#exitHint("app:interrupt"), { kind: "exit" });
    }
    this.#draft.clear();
    this.#history.restart();
    return this.#edited();
  }

  #exitHint(action: string): string {
    return `${this.#bindings.keyFor("Global", action)} again to exit`;
  }

  #askTwice(
    by: Armed["by"],
    now: number,
    again: boolean,
    hint: string,
    effect: PromptEffect | undefined,
  ): PromptEffect | undefined {
    if (again) return effect;
    this.#armed = { by, until: now + AGAIN_MS, hint };
    return undefined;
  }

  #putAside(): undefined {
    if (this.#draft.buffer.isBlank) {
      if (this.#stash) this.#draft.setEntry(this.#stash);
      this.#stash = undefined;
    } else {
      this.#stash = this.#draft.entry();
      this.#draft.clear();
    }
    return this.#edited();
  }

  #up(): PromptEffect | undefined {
    if (this.#moveRow(-1)) return undefined;
    if (this.isEmpty && this.queued > 0) return { kind: "unqueue" };
    if (this.#history.isLoaded) {
      this.#walk(this.#history.older(this.#draft.entry()));
      return undefined;
    }
    // Each press counts, also those before the history was read.
    this.#waitingUps += 1;
    if (this.#waitingUps === 1) void this.#history.load().then(() => this.#walkWaiting());
    return undefined;
  }

  #walkWaiting(): void {
    for (; this.#waitingUps > 0; this.#waitingUps -= 1) this.#walk(this.#history.older(this.#draft.entry()));
    this.#options.changed();
  }

  #down(): undefined {
    if (!this.#moveRow(1)) this.#walk(this.#history.newer(this.#draft.entry()));
    return undefined;
  }

  #walk(entry: HistoryEntry | undefined): void {
    if (!entry) return;
    this.#draft.setEntry(entry);
    this.#edited();
    this.#vim?.settle();
  }

  #moveRow(direction: -1 | 1): boolean {
    const move = rowMove(this.#draft.buffer, this.#columns, direction, this.#goal);
    if (!move) return false;
    this.#draft.buffer.moveTo(move.point);
    this.#goal = move.goal;
    return true;
  }
}

// A prompt for tests, driven by what a terminal sends.

import { Bindings } from "../keys/bindings.ts";
import { InputReader } from "../input/reader.ts";
import type { CommandItem } from "@keelson/client/commands";
import type { MentionItem } from "@keelson/client/mention";
import type { Frame } from "../screen/view.ts";
import type { HistoryEntry } from "./history.ts";
import type { PromptEffect } from "./effects.ts";
import { PromptEditor } from "./prompt.ts";
import { plainTheme } from "../theme/theme.test-support.ts";
import type { Theme } from "../theme/theme.ts";

const PLAIN_THEME: Theme = { ...plainTheme, reducedMotion: false };

export function frameOf(columns: number, rows: number): Frame {
  return { columns, rows, theme: PLAIN_THEME, now: 0 };
}

export interface PromptSetup {
  readonly keybindings?: string;
  readonly vim?: boolean;
  readonly history?: readonly string[];
  readonly commands?: readonly CommandItem[];
  readonly mentions?: readonly MentionItem[];
  readonly files?: (query: string) => Promise<readonly string[]>;
}

export class PromptDriver {
  readonly prompt: PromptEditor;
  readonly effects: PromptEffect[] = [];
  readonly #reader = new InputReader();
  now = 0;
  /** Resolves when the prompt has got its history. */
  readonly historyRead: Promise<unknown>;
  #changed = Promise.withResolvers<void>();

  constructor(setup: PromptSetup = {}) {
    const lines = (setup.history ?? []).map((display): HistoryEntry => ({ display, pastedContents: {} }));
    const asked = Promise.withResolvers<void>();
    const reading = asked.promise.then(() => lines);
    this.historyRead = reading;
    this.prompt = new PromptEditor({
      bindings: Bindings.read(setup.keybindings).bindings,
      history: () => {
        asked.resolve();
        return reading;
      },
      sources: {
        commands: () => setup.commands ?? [],
        files: setup.files ?? (async () => []),
        mentions: () => setup.mentions ?? [],
      },
      ...(setup.vim ? { vim: true } : {}),
      changed: () => this.#changed.resolve(),
      later: (effect) => this.effects.push(effect),
    });
  }

  /** Resolves when the prompt looks different without a key. Call it before what leads to that. */
  changed(): Promise<void> {
    this.#changed = Promise.withResolvers<void>();
    return this.#changed.promise;
  }

  /** Sends bytes, and lets what waits for silence come. Returns the effects. */
  send(bytes: string): PromptEffect[] {
    const before = this.effects.length;
    this.now += 1;
    const events = this.#reader.push(new TextEncoder().encode(bytes), this.now);
    const due = this.#reader.dueAt();
    if (due !== undefined) {
      this.now = due;
      events.push(...this.#reader.flush(due));
    }
    for (const event of events) {
      const effect = this.prompt.take(event, this.now);
      if (effect) this.effects.push(effect);
    }
    return this.effects.slice(before);
  }

  paste(text: string): PromptEffect[] {
    return this.send(`\u001b[200~${text}\u001b[201~`);
  }

  /** The rows, with `|` where the cursor is. */
  screen(columns = 40, rows = 20): string[] {
    const rendered = this.prompt.render(frameOf(columns, rows));
    return rendered.rows.map((row, at) => {
      if (at !== rendered.cursor?.row) return row;
      const { column } = rendered.cursor;
      return `${Bun.sliceAnsi(row, 0, column)}|${Bun.sliceAnsi(row, column)}`;
    });
  }

  /** The rows between the rules. */
  draft(columns = 40, rows = 20): string {
    const screen = this.screen(columns, rows);
    return screen
      .slice(
        1,
        screen.findIndex((row, at) => at > 0 && row.startsWith("──")),
      )
      .join("\n");
  }
}

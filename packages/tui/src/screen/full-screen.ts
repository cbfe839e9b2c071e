// A viewer on the alternate screen, drawn row by row. When it is left, the main screen is as it was.

import type { Draw, FullScreen, ScreenSize } from "./port.ts";
import type { Rendered } from "./view.ts";
import { HIDE_CURSOR, SHOW_CURSOR } from "./frame-text.ts";

const ENTER = "\x1b[?1049h\x1b[H\x1b[2J";
const LEAVE = "\x1b[?1049l";

export interface FullScreenOptions {
  readonly terminal: { write(text: string): void };
  readonly draw: Draw;
  readonly size: () => ScreenSize;
  readonly now: () => number;
  readonly schedule: (callback: () => void, ms: number) => () => void;
  readonly frameMs: number;
  /** `draw`: the main screen is still wanted. */
  readonly closed: (next: { readonly draw: boolean }) => void;
}

export class FullScreenView implements FullScreen {
  readonly #options: FullScreenOptions;
  #rows: readonly string[] = [];
  #cursor = "";
  #cancel: (() => void) | undefined;
  #lastFrame = -Infinity;
  #on = false;

  constructor(options: FullScreenOptions) {
    this.#options = options;
  }

  enter(): void {
    if (this.#on) return;
    this.#on = true;
    this.#options.terminal.write(ENTER);
    this.#rows = [];
    this.draw();
  }

  /** For the time being. */
  leave(): void {
    if (!this.#on) return;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#on = false;
    this.#options.terminal.write(LEAVE);
  }

  close({ draw = true }: { readonly draw?: boolean } = {}): void {
    this.leave();
    this.#options.closed({ draw });
  }

  changed({ now = false }: { readonly now?: boolean } = {}): void {
    if (!this.#on) return;
    if (now) return this.draw();
    const wait = Math.max(0, this.#lastFrame + this.#options.frameMs - this.#options.now());
    this.#cancel ??= this.#options.schedule(() => this.draw(), wait);
  }

  resized(): void {
    if (!this.#on) return;
    this.#options.terminal.write("\x1b[2J");
    this.#rows = [];
    this.draw();
  }

  draw(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (!this.#on) return;
    const { terminal, now, size } = this.#options;
    this.#lastFrame = now();
    const { rows: height } = size();
    const { rows, cursor }: Rendered = this.#options.draw(size());
    const shown = Array.from({ length: height }, (_, at) => rows[at] ?? "");
    const changed = shown.flatMap((row, at) => (row === (this.#rows[at] ?? "") ? [] : `\x1b[${at + 1}H\x1b[K${row}`));
    const seen = cursor ? SHOW_CURSOR : HIDE_CURSOR;
    const place = `\x1b[${(cursor?.row ?? 0) + 1};${(cursor?.column ?? 0) + 1}H${seen}`;
    if (changed.length === 0 && place === this.#cursor) return;
    this.#rows = shown;
    this.#cursor = place;
    terminal.write(`\x1b[?2026h\x1b[?7l${changed.join("")}\x1b[?7h${place}\x1b[?2026l`);
  }
}

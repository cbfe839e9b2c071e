// The screen for screen readers and for terminals that obey no sequences: text is appended and never drawn again. What
// is typed is echoed as typed.

import { changedRows, plainRows } from "./plain-text.ts";
import { TypedLine } from "./typed-line.ts";
import type { Draw, FullScreen, ScreenPort, ScreenSize } from "../screen/port.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** What is live, in words. */
export interface PlainLive {
  /** What is typed, and how many UTF-16 units of it are before the cursor. Absent if nothing can be typed now. */
  readonly line?: { readonly text: string; readonly cursor: number };
  /** Of a dialog, a panel or a list. Said once, and when they change only what changed. */
  readonly rows: readonly string[];
}

export interface PlainScreenOptions {
  readonly terminal: Pick<Terminal, "columns" | "rows" | "write">;
  readonly draw: () => PlainLive;
  /** Before what is typed; `$ ` if absent. */
  readonly prompt?: string;
}

/** Rows enough for any viewer: they are all said. */
const ALL_ROWS = 1_000_000;

export class PlainScreen implements ScreenPort {
  readonly #options: PlainScreenOptions;
  readonly #typed: TypedLine;
  #said: readonly string[] = [];
  #state: "on" | "paused" | "ended" = "on";

  constructor(options: PlainScreenOptions) {
    this.#options = options;
    this.#typed = new TypedLine(options.prompt ?? "$ ");
  }

  get size(): ScreenSize {
    const { columns, rows } = this.#options.terminal;
    return { columns: columns || 80, rows: rows || 24 };
  }

  append(rows: readonly string[]): void {
    if (this.#state === "ended") return;
    this.#say(plainRows(rows));
  }

  /** At once: there are no frames to save. */
  changed(): void {
    if (this.#state !== "on") return;
    const { line, rows } = this.#options.draw();
    const now = plainRows(rows).filter((row) => row !== "");
    const say = changedRows(this.#said, now);
    this.#said = now;
    this.#say(say);
    this.#write(line ? this.#typed.become(line, this.size.columns) : this.#typed.leave());
  }

  flush(): void {
    this.changed();
  }

  clear(): void {
    this.#said = [];
    this.#write(this.#typed.leave());
    this.changed();
  }

  pause(): void {
    if (this.#state !== "on") return;
    this.#write(this.#typed.leave());
    this.#state = "paused";
  }

  resume(): void {
    if (this.#state !== "paused") return;
    this.#state = "on";
    this.changed();
  }

  end(): void {
    if (this.#state === "ended") return;
    this.#write(this.#typed.leave());
    this.#state = "ended";
  }

  /** Says everything the viewer would show. */
  fullScreen(draw: Draw): FullScreen {
    let said: readonly string[] = [];
    const changed = () => {
      const { rows } = draw({ columns: this.size.columns, rows: ALL_ROWS });
      const now = plainRows(rows);
      this.#say(changedRows(said, now));
      said = now;
    };
    changed();
    return { changed, close: () => this.changed() };
  }

  async answered(): Promise<void> {}

  /** Nothing is asked. */
  reply(): void {}

  #say(rows: readonly string[]): void {
    if (rows.length === 0) return;
    this.#write(this.#typed.leave() + rows.map((row) => `${row}\r\n`).join(""));
  }

  #write(text: string): void {
    if (text !== "") this.#options.terminal.write(text);
  }
}

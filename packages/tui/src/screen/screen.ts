// The main screen: finished rows go into the terminal's scrollback, and the live area below them is redrawn row by row.
// It knows rows and a clock. It does not know what is on the rows.

import { LiveArea } from "./live-area.ts";
import { reflowFromEnv, reflowFromReply } from "../terminal/identity.ts";
import { FullScreenView } from "./full-screen.ts";
import type { TerminalReply } from "../input/event.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { Draw, FullScreen, ScreenPort, ScreenSize } from "./port.ts";
import type { Reflow } from "./reflow.ts";
import type { Rendered } from "./view.ts";

/** Synchronized output: the terminal shows the frame as a whole. Terminals that do not know it ignore it. */
const BEGIN = "\x1b[?2026h";
const END = "\x1b[?2026l";
const HIDE_CURSOR = "\x1b[?25l";
const SHOW_CURSOR = "\x1b[?25h";
const ASK_CURSOR = "\x1b[6n";
const FRAME_MS = 1000 / 30;

export interface ScreenOptions {
  readonly terminal: Pick<Terminal, "columns" | "rows" | "write" | "onResize">;
  readonly draw: Draw;
  readonly now: () => number;
  /** Calls back after so many milliseconds, unless it was cancelled. */
  readonly schedule: (callback: () => void, ms: number) => () => void;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Whether the terminal's own cursor is seen. It is at the insertion point in any case, for input methods. */
  readonly showCursor?: boolean;
}

export class Screen implements ScreenPort {
  readonly #options: ScreenOptions;
  readonly #area: LiveArea;
  #size: ScreenSize;
  #finished: string[] = [];
  #cancel: (() => void) | undefined;
  #lastFrame = -Infinity;
  #drawing = false;
  #reflow: Reflow;
  /** Questions for the cursor's place that were not answered. Only the answer to the last one is of use. */
  #asked = 0;
  #askNext = true;
  #cursorHidden = false;
  #state: "on" | "paused" | "ended" = "on";
  #viewer: FullScreenView | undefined;
  #resizedInViewer = false;
  readonly #unlisten: () => void;

  constructor(options: ScreenOptions) {
    this.#options = options;
    this.#size = sizeOf(options.terminal);
    this.#area = new LiveArea(this.#size);
    this.#reflow = reflowFromEnv(options.env ?? {});
    this.#unlisten = options.terminal.onResize(() => this.#resize());
  }

  get size(): ScreenSize {
    return this.#size;
  }

  append(rows: readonly string[]): void {
    if (this.#state === "ended" || rows.length === 0) return;
    for (const row of rows) this.#finished.push(row);
    // What is found to be finished while a frame is drawn goes with that frame.
    if (!this.#viewer && !this.#drawing) this.changed();
  }

  changed({ now = false }: { readonly now?: boolean } = {}): void {
    if (this.#state !== "on" || this.#viewer) return;
    if (now) return this.#frame();
    this.#cancel ??= this.#options.schedule(
      () => {
        this.#cancel = undefined;
        this.#frame();
      },
      Math.max(0, this.#lastFrame + FRAME_MS - this.#options.now()),
    );
  }

  flush(): void {
    if (this.#state !== "on") return;
    if (this.#viewer) this.#viewer.draw();
    else if (this.#cancel) this.#frame();
  }

  clear({ scroll = false }: { readonly scroll?: boolean } = {}): void {
    if (this.#state !== "on" || this.#viewer) return;
    if (!scroll) {
      this.#area.spoil();
      return this.#frame();
    }
    const erase = this.#area.paint(this.#finished.splice(0), EMPTY);
    const above = this.#area.above ?? this.#size.rows;
    this.#options.terminal.write(`${BEGIN}${erase}\x1b[J\x1b[${this.#size.rows}B${"\n".repeat(above)}\x1b[H`);
    this.#area.forget();
    this.#askNext = true;
    this.#frame();
  }

  pause(): void {
    if (this.#state !== "on") return;
    this.#viewer?.leave();
    this.#stopTimer();
    this.#write(this.#area.paint(this.#finished.splice(0), EMPTY), { cursor: true });
    this.#state = "paused";
  }

  resume(): void {
    if (this.#state !== "paused") return;
    this.#state = "on";
    this.#size = sizeOf(this.#options.terminal);
    this.#area.forget();
    this.#area.resized(this.#size, "none");
    this.#askNext = true;
    this.#cursorHidden = false;
    if (this.#viewer) this.#viewer.enter();
    else this.#frame();
  }

  end({ keep = false }: { readonly keep?: boolean } = {}): void {
    if (this.#state === "ended") return;
    this.#viewer?.close();
    this.#stopTimer();
    if (this.#state === "on") {
      const last = keep ? this.#rendered() : EMPTY;
      // Below the last row, which is finished by that.
      const text = this.#area.paint([...this.#finished.splice(0), ...last.rows], EMPTY);
      this.#write(text, { cursor: true });
    }
    this.#state = "ended";
    this.#unlisten();
  }

  fullScreen(draw: Draw): FullScreen {
    this.#viewer?.close();
    this.#stopTimer();
    this.#write(this.#area.paint(this.#finished.splice(0), EMPTY));
    this.#resizedInViewer = false;
    const viewer = new FullScreenView({
      ...this.#options,
      draw,
      size: () => this.#size,
      frameMs: FRAME_MS,
      closed: () => this.#viewerClosed(viewer),
    });
    this.#viewer = viewer;
    if (this.#state === "on") viewer.enter();
    return viewer;
  }

  reply(reply: TerminalReply): void {
    this.#reflow = reflowFromReply(reply) ?? this.#reflow;
    if (reply.of !== "cursor" || this.#asked === 0) return;
    this.#asked -= 1;
    const row = Number(/^\d+/.exec(reply.text)?.[0]);
    if (this.#asked === 0 && row > 0) this.#area.toldPlace(row - 1);
  }

  #viewerClosed(viewer: FullScreenView): void {
    if (this.#viewer !== viewer) return;
    this.#viewer = undefined;
    // Terminals do not agree on where the cursor of the main screen is after a resize. The last row is safe.
    if (this.#resizedInViewer) this.#options.terminal.write(`\x1b[${this.#size.rows}B`);
    this.#area.forget();
    this.#askNext = true;
    if (this.#state === "on") this.#frame();
  }

  #resize(): void {
    const size = sizeOf(this.#options.terminal);
    if (size.columns === this.#size.columns && size.rows === this.#size.rows) return;
    this.#size = size;
    if (this.#state !== "on") return;
    if (this.#viewer) {
      this.#resizedInViewer = true;
      this.#area.resized(size, "none");
      return this.#viewer.resized();
    }
    this.#area.resized(size, this.#reflow);
    this.#askNext = true;
    this.#frame();
  }

  #frame(): void {
    this.#stopTimer();
    // The window may have been resized and the news not be here yet.
    const size = sizeOf(this.#options.terminal);
    if (size.columns !== this.#size.columns || size.rows !== this.#size.rows) return this.#resize();
    this.#lastFrame = this.#options.now();
    const rendered = this.#rendered();
    this.#write(this.#area.paint(this.#finished.splice(0), rendered));
  }

  #rendered(): Rendered {
    this.#drawing = true;
    const { rows, cursor } = this.#options.draw(this.#size);
    this.#drawing = false;
    const cut = Math.max(0, rows.length - this.#size.rows);
    return {
      rows: (cut > 0 ? rows.slice(cut) : rows).map(withoutTrailingSpaces),
      cursor: cursor && { row: Math.max(0, cursor.row - cut), column: cursor.column },
    };
  }

  #write(text: string, { cursor = false }: { readonly cursor?: boolean } = {}): void {
    const { terminal, showCursor = false } = this.#options;
    const ask = this.#askNext && this.#state === "on" ? ASK_CURSOR : "";
    if (text === "" && ask === "" && !cursor) return;
    if (ask !== "") {
      this.#area.askedPlace();
      this.#asked += 1;
      this.#askNext = false;
    }
    const hide = this.#cursorHidden ? "" : HIDE_CURSOR;
    const show = showCursor || cursor ? SHOW_CURSOR : "";
    this.#cursorHidden = show === "";
    terminal.write(`${BEGIN}${hide}${text}${show}${END}${ask}`);
  }

  #stopTimer(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

const EMPTY: Rendered = { rows: [] };

function sizeOf({ columns, rows }: ScreenSize): ScreenSize {
  // A terminal that was not told its size says 0.
  return { columns: columns || 80, rows: rows || 24 };
}

/** They would wrap in a narrower window though nobody sees them. */
function withoutTrailingSpaces(row: string): string {
  return row.endsWith(" ") ? row.trimEnd() : row;
}

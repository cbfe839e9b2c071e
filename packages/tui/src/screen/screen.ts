// The main screen: finished rows go into the terminal's scrollback, and the live area below them is redrawn row by row.
// It knows rows and a clock. It does not know what is on the rows.

import { LiveArea } from "./live/live-area.ts";
import { reflowFromEnv, reflowFromReply } from "../terminal/identity.ts";
import { BEGIN_FRAME, FrameText } from "./frame-text.ts";
import { FullScreenView } from "./full-screen.ts";
import { LateFrames, type SentFrame } from "./live/late-frames.ts";
import { PlaceQuestions } from "./questions.ts";
import type { TerminalReply } from "../input/event.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { Draw, FullScreen, ScreenPort, ScreenSize } from "./port.ts";
import type { DrawnArea, Reflow } from "./live/reflow.ts";
import type { Rendered } from "./view.ts";

/**
 * About twenty frames a second look as smooth as thirty for text, and cost a third less. A key does not wait for one, and
 * neither does text that comes every 50 ms, as sessions at a terminal read it.
 */
const FRAME_MS = 45;
/** A window is drawn when it has had the same size for so long. */
const SETTLE_MS = 20;
/** Sizes that come faster than this are those of a window that is being dragged. */
const DRAG_MS = 100;
/** The same where rows that the terminal wraps push others of the area into the scrollback, where they stay. */
const CROWDED_DRAG_MS = 300;
/** tmux takes a quarter of a second to tell the system. */
const MOST_DISAGREEMENTS = 40;

export interface ScreenOptions {
  readonly terminal: Pick<Terminal, "columns" | "rows" | "write" | "onResize">;
  readonly draw: Draw;
  readonly now: () => number;
  /** Calls back after so many milliseconds, unless it was cancelled. */
  readonly schedule: (callback: () => void, ms: number) => () => void;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Whether the terminal's own cursor is seen at the insertion point. It is there in any case, for input methods. */
  readonly showCursor?: boolean;
}

/** What a question is about: a frame, or nothing but the place. */
interface Asked {
  /** Questions from before something else had the terminal are of no use. */
  readonly era: number;
  readonly frame?: SentFrame;
  /** Whether it came with a frame, so that the answer is where that frame left the cursor. */
  readonly drawn: boolean;
  /** Whether the area is to be taken off the screen until the window has stopped. */
  readonly collapse?: boolean;
}

interface DrawOptions {
  /** What is on the screen; what the area was drawn as if absent. */
  readonly before?: DrawnArea;
  readonly sizes?: readonly ScreenSize[];
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
  readonly #questions: PlaceQuestions<Asked>;
  #era = 0;
  /** A frame was due while another was on its way. */
  #wanted = false;
  /** The window was resized: nothing is drawn until it is quiet and clear where everything is. */
  #settling: { readonly cancel: () => void; quiet: boolean } | undefined;
  #resizedAt = -Infinity;
  /**
   * The window is being dragged. The area is taken off the screen, since nothing can be wrapped where nothing is: `full`
   * and `asked` until that is done.
   */
  #dragged: "full" | "asked" | "collapsed" | undefined;
  /** Of the window, since it began to be dragged. */
  #dragMs = DRAG_MS;
  /** How often the terminal and the system said different widths, one after the other. */
  #disagreements = 0;
  /** Frames that arrived after a resize, until the last answer is here. */
  readonly #late = new LateFrames();
  readonly #text: FrameText;
  #state: "on" | "paused" | "ended" = "on";
  #viewer: FullScreenView | undefined;
  #resizedInViewer = false;
  readonly #unlisten: () => void;

  constructor(options: ScreenOptions) {
    this.#options = options;
    this.#size = sizeOf(options.terminal);
    this.#area = new LiveArea(this.#size);
    this.#text = new FrameText({ showCursor: options.showCursor ?? false });
    this.#reflow = reflowFromEnv(options.env ?? {});
    this.#questions = new PlaceQuestions(options.schedule, () => this.#goOn());
    this.#unlisten = options.terminal.onResize(() => this.#resize());
  }

  get size(): ScreenSize {
    return sizeOf(this.#options.terminal);
  }

  append(rows: readonly string[]): void {
    if (this.#state === "ended" || rows.length === 0) return;
    for (const row of rows) this.#finished.push(row);
    // What is found to be finished while a frame is drawn goes with that frame.
    if (!this.#viewer && !this.#drawing) this.changed();
  }

  changed({ now = false }: { readonly now?: boolean } = {}): void {
    if (this.#state !== "on" || this.#viewer) return;
    if (now) return this.#frame({ now });
    this.#cancel ??= this.#options.schedule(
      () => this.#frame(),
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
    this.#settleNow();
    const erase = this.#area.paint(this.#takeFinished(), EMPTY).text;
    const above = this.#area.above ?? this.#size.rows;
    this.#options.terminal.write(`${BEGIN_FRAME}${erase}\x1b[J\x1b[${this.#size.rows}B${"\n".repeat(above)}\x1b[H`);
    this.#startAnew();
    this.#draw();
  }

  pause(): void {
    if (this.#state !== "on") return;
    this.#viewer?.leave();
    this.#settleNow();
    this.#write(this.#area.paint(this.#takeFinished(), EMPTY).text, { cursor: true });
    this.#state = "paused";
  }

  resume(): void {
    if (this.#state !== "paused") return;
    this.#state = "on";
    this.#size = sizeOf(this.#options.terminal);
    this.#startAnew();
    this.#text.forget();
    if (this.#viewer) this.#viewer.enter();
    else this.#draw();
  }

  end({ keep = false }: { readonly keep?: boolean } = {}): void {
    if (this.#state === "ended") return;
    this.#viewer?.close({ draw: false });
    this.#settleNow();
    if (this.#state === "on") {
      const last = keep ? this.#rendered() : EMPTY;
      // Below the last row, which is finished by that.
      const { text } = this.#area.paint([...this.#takeFinished(), ...last.rows], EMPTY);
      this.#write(text, { cursor: true });
    }
    this.#state = "ended";
    this.#questions.giveUp();
    this.#unlisten();
  }

  fullScreen(draw: Draw): FullScreen {
    this.#viewer?.close();
    this.#settleNow();
    this.#write(this.#area.paint(this.#takeFinished(), EMPTY).text, {});
    this.#resizedInViewer = false;
    const viewer = new FullScreenView({
      ...this.#options,
      draw,
      size: () => this.#size,
      frameMs: FRAME_MS,
      closed: (next) => this.#viewerClosed(viewer, next),
    });
    this.#viewer = viewer;
    if (this.#state === "on") viewer.enter();
    return viewer;
  }

  reply(reply: TerminalReply): void {
    this.#reflow = reflowFromReply(reply) ?? this.#reflow;
    const answer = reply.of === "cursor" ? this.#questions.answer(reply.text) : undefined;
    if (!answer || this.#state !== "on" || this.#viewer || answer.about.era !== this.#era) return;
    const { frame } = answer.about;
    if (answer.about.drawn) this.#area.toldPlace(answer.row);
    if (frame && (this.#late.any || this.#isLate(frame, answer))) {
      this.#late.add(frame, this.#area.sizesUntil({ columns: answer.columns, rows: this.size.rows }), this.#reflow);
    }
    if (answer.about.collapse) {
      if (this.#settling && answer.columns === this.size.columns) return this.#collapse(answer.row);
    } else if (!frame && this.#settling?.quiet) {
      if (answer.columns === this.size.columns) return this.#drawResized(answer.row);
      this.#disagreements += 1;
      if (this.#disagreements < MOST_DISAGREEMENTS) return this.#settle();
      // The system has a wrong idea of the window, as on a serial line. It is all there is.
      this.#questions.giveUp();
      return this.#drawResized();
    }
    this.#goOn();
  }

  #isLate(frame: SentFrame, { row, columns }: { readonly row: number; readonly columns: number }): boolean {
    if (frame.columns !== columns) return true;
    // The columns are the same, or the same again: the row tells whether it arrived after a resize.
    return frame.y !== undefined && frame.y !== row && this.#area.wasResizedTo({ columns });
  }

  /** Frames arrived after a resize, and nothing else is on its way: the next frame puts right what they did. */
  #repair(): void {
    const late = this.#late.take();
    if (late === undefined) return;
    this.#area.misplaced(late);
    this.#size = this.#area.newestSize ?? { columns: late.size.columns, rows: this.size.rows };
    // The system may hear of it only after the terminal has done it.
    if (this.size.columns !== late.madeFor) this.#takeSize();
    this.#settle();
  }

  answered(): Promise<void> {
    return this.#questions.whenAnswered();
  }

  #viewerClosed(viewer: FullScreenView, { draw }: { readonly draw: boolean }): void {
    if (this.#viewer !== viewer) return;
    this.#viewer = undefined;
    // Terminals do not agree on where the cursor of the main screen is after a resize. The last row is safe.
    if (this.#resizedInViewer) this.#options.terminal.write(`\x1b[${this.#size.rows}B`);
    this.#startAnew();
    this.#text.forget();
    if (draw && this.#state === "on") this.#draw();
  }

  #resize(): void {
    const { columns, rows } = this.size;
    if (this.#state !== "on" || (!this.#settling && columns === this.#size.columns && rows === this.#size.rows)) return;
    if (!this.#viewer) {
      this.#takeSize();
      const now = this.#options.now();
      if (this.#dragged === undefined) this.#dragMs = this.#isCrowded ? CROWDED_DRAG_MS : DRAG_MS;
      if (now - this.#resizedAt < this.#dragMs && this.#dragged !== "collapsed") this.#dragged = "full";
      this.#resizedAt = now;
      this.#settle();
      return this.#goOn();
    }
    this.#size = this.size;
    this.#resizedInViewer = true;
    this.#viewer.resized();
  }

  /** Whether the area has most of the window. */
  get #isCrowded(): boolean {
    return this.#area.drawn.rows.length * 2 > this.#size.rows;
  }

  /** Waits until the window is no longer being resized. */
  #settle(): void {
    this.#stopTimer();
    this.#settling?.cancel();
    const settling = { quiet: false, cancel: () => {} };
    settling.cancel = this.#options.schedule(
      () => {
        settling.quiet = true;
        this.#goOn();
      },
      this.#dragged ? this.#dragMs : SETTLE_MS,
    );
    this.#settling = settling;
  }

  /** After an answer, or when none is waited for any longer. */
  #goOn(): void {
    if (this.#state !== "on" || this.#viewer || this.#questions.areOpen) return;
    if (this.#late.any) return this.#repair();
    if (this.#settling) {
      const collapse = !this.#settling.quiet;
      if (collapse && this.#dragged !== "full") return;
      if (!this.#questions.mayAsk) return collapse ? undefined : this.#drawResized();
      if (collapse) this.#dragged = "asked";
      const ask = this.#questions.ask({ era: this.#era, drawn: false, collapse });
      return this.#options.terminal.write(ask + this.#area.column);
    }
    if (!this.#wanted) return;
    this.#wanted = false;
    this.changed();
  }

  #collapse(y: number): void {
    this.#dragged = "collapsed";
    const before = this.#area.drawn;
    this.#takeSize();
    const sizes = this.#area.resized(this.#size, this.#reflow, y);
    this.#paint(EMPTY, this.#takeFinished({ hold: true }), { before, sizes });
  }

  #drawResized(y?: number): void {
    this.#settling?.cancel();
    this.#settling = undefined;
    this.#dragged = undefined;
    this.#disagreements = 0;
    const before = this.#area.drawn;
    this.#takeSize();
    const sizes = this.#area.resized(this.#size, this.#reflow, y);
    // If the window is resized again right now, the fewer rows it has to be repaired for, the better.
    this.#draw({ before, sizes, hold: this.#questions.mayAsk });
  }

  /** What another program, a viewer or the end cannot wait for. */
  #settleNow(): void {
    this.#stopTimer();
    if (!this.#settling) return;
    this.#settling.cancel();
    this.#settling = undefined;
    this.#dragged = undefined;
    this.#takeSize();
    this.#area.resized(this.#size, this.#reflow, undefined);
  }

  /** Follows each size of a window that is being resized, because each may have wrapped what is on the screen. */
  #takeSize(): void {
    const { columns, rows } = this.size;
    if (columns === this.#size.columns && rows === this.#size.rows) return;
    this.#size = { columns, rows };
    this.#area.windowResized(this.#size);
  }

  /** Something else had the terminal: the area begins where the cursor is. */
  #startAnew(): void {
    this.#era += 1;
    this.#late.take();
    this.#wanted = false;
    this.#size = this.size;
    this.#area.forget();
    this.#area.resized(this.#size, this.#reflow, undefined);
  }

  #frame({ now = false }: { readonly now?: boolean } = {}): void {
    this.#stopTimer();
    if (this.#settling) return;
    // The window may have been resized and the news not be here yet.
    const { columns, rows } = this.size;
    if (columns !== this.#size.columns || rows !== this.#size.rows) return this.#resize();
    const isOpen = this.#questions.areOpen;
    if (isOpen && !now) {
      this.#wanted = true;
      return;
    }
    // A key does not wait for an answer.
    this.#draw();
  }

  #draw({ hold = false, ...options }: DrawOptions & { readonly hold?: boolean } = {}): void {
    this.#lastFrame = this.#options.now();
    // Drawing may find more rows that are finished.
    const rendered = this.#rendered();
    this.#paint(rendered, this.#takeFinished({ hold }), options);
    this.#wanted = this.#finished.length > 0;
  }

  #paint(
    rendered: Rendered,
    finished: readonly string[],
    { before = this.#area.drawn, sizes = [] }: DrawOptions = {},
  ): void {
    const up = this.#area.drawn.cursor.row;
    const { text, painted } = this.#area.paint(finished, rendered);
    const typing = rendered.cursor !== undefined;
    if (this.#text.isSame(text, { typing })) return;
    const { columns } = this.#size;
    const { y } = this.#area.drawn;
    const frame = { columns, before, sizes, up, painted, y };
    this.#write(text, { typing, ask: { era: this.#era, drawn: true, frame } });
  }

  /** With `hold`, only what is to be written once more. */
  #takeFinished({ hold = false }: { readonly hold?: boolean } = {}): string[] {
    return [...this.#area.takeAgain(), ...(hold ? [] : this.#finished.splice(0))];
  }

  #rendered(): Rendered {
    const { rows, cursor } = this.#drawn();
    const cut = Math.max(0, rows.length - this.#size.rows);
    return {
      rows: (cut > 0 ? rows.slice(cut) : rows).map(withoutTrailingSpaces),
      cursor: cursor && { row: Math.max(0, cursor.row - cut), column: cursor.column },
    };
  }

  #drawn(): Rendered {
    this.#drawing = true;
    try {
      return this.#options.draw(this.#size);
    } finally {
      this.#drawing = false;
    }
  }

  #write(
    text: string,
    { ask, ...seen }: { readonly typing?: boolean; readonly cursor?: boolean; readonly ask?: Asked },
  ) {
    let question = "";
    if (ask && this.#questions.mayAsk) {
      question = this.#questions.ask(ask) + this.#area.column;
      this.#area.askedPlace();
    }
    this.#options.terminal.write(this.#text.around(text + question, seen));
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

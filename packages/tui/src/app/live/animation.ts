// What changes by itself: the window title, the spinner, clocks, the status line. Nothing is scheduled while nothing does.

import { WindowTitle } from "../../life/title.ts";
import type { TerminalModeSwitch } from "../../terminal/modes.ts";
import type { App } from "../app.ts";
import type { StatusRows } from "./status-rows.ts";

/** More often is not seen. */
const SOONEST_MS = 16;
/** While a text grows, what moves waits so long for the next frame of the text. */
const JOIN_MS = 150;

export class Animation {
  readonly #app: App;
  readonly #status: StatusRows;
  readonly #modes: Pick<TerminalModeSwitch, "title">;
  readonly #title: WindowTitle;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When the last frame was drawn. */
  #drawnAt = 0;
  /** Something moves with the next frame. */
  #isDue = false;
  /** When something looks different that does not move all the time, as the spinner does. */
  #changesAt = Infinity;

  constructor(app: App, status: StatusRows, modes: Pick<TerminalModeSwitch, "title">) {
    const { host, theme } = app;
    this.#app = app;
    this.#status = status;
    this.#modes = modes;
    this.#title = new WindowTitle(host.env, { still: theme.reducedMotion || host.screenReader });
  }

  /** A frame is drawn now; draws again when something looks different. */
  step(now: number): void {
    const { talk, prompt, panels, parts, theme } = this.#app;
    this.#drawnAt = now;
    if (now >= this.#changesAt) parts.changed();
    // What moves by itself is drawn when the timer says so.
    if (parts.isStill && this.#timer !== undefined && !this.#isDue && !talk.feed.hasMore) return;
    const title = { working: talk.isWorking, waiting: panels.top !== undefined, now };
    const text = this.#title.next({ ...title, name: talk.facts.name || "keelson" });
    if (text !== undefined) this.#modes.title(text);
    this.#status.poll(now);
    const move = soonest([
      this.#title.nextChange(title),
      talk.feed.nextChange(now),
      parts.nextMove(talk, { now, theme }),
    ]);
    const change = soonest([
      prompt.nextChange(now),
      panels.nextChange(now),
      this.#status.line.nextChange(now),
      parts.nextChange(now),
    ]);
    this.stop();
    this.#changesAt = now + change;
    const due = Math.min(move, change);
    if (due < Infinity) this.#timer = setTimeout(() => this.#move(), Math.max(SOONEST_MS, due));
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isDue = false;
  }

  #move(): void {
    const { host, parts, talk } = this.#app;
    const now = host.now();
    const left = this.#drawnAt + JOIN_MS - now;
    const isGrowing = now - parts.grewAt < JOIN_MS && !talk.feed.hasMore;
    if (isGrowing && left > 0 && now < this.#changesAt) {
      this.#isDue = true;
      this.#timer = setTimeout(() => this.#move(), left);
      return;
    }
    this.#timer = undefined;
    this.#app.moved();
  }
}

/** Infinity if none of them comes. */
function soonest(times: readonly (number | undefined)[]): number {
  return Math.min(...times.filter((time) => time !== undefined));
}

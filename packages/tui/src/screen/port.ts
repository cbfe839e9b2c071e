// The screen as the app holds it. There are two: one that redraws its live area, and one that only appends text.

import type { TerminalReply } from "../input/event.ts";
import type { Rendered } from "./view.ts";

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** Renders what is on the screen now. */
export type Draw = (size: ScreenSize) => Rendered;

export interface FullScreen {
  changed(options?: { readonly now?: boolean }): void;
  /** Back to the main screen, as it was, with what was appended meanwhile. */
  close(): void;
}

export interface ScreenPort {
  readonly size: ScreenSize;
  /** Finished rows. They go into the scrollback once and are never written again. */
  append(rows: readonly string[]): void;
  /** The live area looks different: it is drawn within a 20th of a second, or at once after a key. */
  changed(options?: { readonly now?: boolean }): void;
  /** Draws what is due. */
  flush(): void;
  /** Draws the live area anew, whatever happened to it. With `scroll`, the rows above go into the scrollback. */
  clear(options?: { readonly scroll?: boolean }): void;
  /** Removes the live area and draws nothing, while another program has the terminal. */
  pause(): void;
  resume(): void;
  /** Leaves the cursor in column 1 below everything. With `keep`, the live area stays. */
  end(options?: { readonly keep?: boolean }): void;
  /** A viewer over the whole window. What is appended meanwhile is written when it is closed. */
  fullScreen(draw: Draw): FullScreen;
  /**
   * Resolves when the terminal has answered everything it was asked. Keep reading until then, or the shell after us gets
   * the answer.
   */
  answered(): Promise<void>;
  /** An answer of the terminal. */
  reply(reply: TerminalReply): void;
}

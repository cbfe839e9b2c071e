// What is around the text of a frame: synchronized output, and the cursor, which is hidden while something is drawn.

/** The terminal shows the frame as a whole. Terminals that do not know it ignore it. */
export const BEGIN_FRAME = "\x1b[?2026h";
const END = "\x1b[?2026l";
const HIDE_CURSOR = "\x1b[?25l";
const SHOW_CURSOR = "\x1b[?25h";

export class FrameText {
  readonly #showCursor: boolean;
  #cursorHidden = false;

  /** `showCursor`: whether the cursor is seen between frames. */
  constructor({ showCursor }: { readonly showCursor: boolean }) {
    this.#showCursor = showCursor;
  }

  /** `cursor`: it is seen after this frame in any case. */
  around(text: string, { cursor }: { readonly cursor: boolean }): string {
    const hide = this.#cursorHidden ? "" : HIDE_CURSOR;
    const show = this.#showCursor || cursor ? SHOW_CURSOR : "";
    this.#cursorHidden = show === "";
    return BEGIN_FRAME + hide + text + show + END;
  }

  /** Another program had the terminal. */
  forget(): void {
    this.#cursorHidden = false;
  }
}

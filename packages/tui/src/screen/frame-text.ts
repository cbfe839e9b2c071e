// What is around the text of a frame: synchronized output, and the cursor, which is hidden while something is drawn and
// where there is no place to type.

/** The terminal shows the frame as a whole. Terminals that do not know it ignore it. */
export const BEGIN_FRAME = "\x1b[?2026h";
const END = "\x1b[?2026l";
export const HIDE_CURSOR = "\x1b[?25l";
export const SHOW_CURSOR = "\x1b[?25h";

export class FrameText {
  readonly #showCursor: boolean;
  #cursorHidden = false;

  /** `showCursor`: whether the cursor is seen between frames, where something can be typed. */
  constructor({ showCursor }: { readonly showCursor: boolean }) {
    this.#showCursor = showCursor;
  }

  /** Whether a frame would change nothing. `typing`: it has a place to type. */
  isSame(text: string, { typing }: { readonly typing: boolean }): boolean {
    return text === "" && this.#cursorHidden !== (this.#showCursor && typing);
  }

  /** `typing`: it has a place to type. `cursor`: the cursor is seen after this frame in any case. */
  around(text: string, { typing = false, cursor = false }: { readonly typing?: boolean; readonly cursor?: boolean }) {
    const hide = this.#cursorHidden ? "" : HIDE_CURSOR;
    const show = (this.#showCursor && typing) || cursor ? SHOW_CURSOR : "";
    this.#cursorHidden = show === "";
    return BEGIN_FRAME + hide + text + show + END;
  }

  /** Another program had the terminal. */
  forget(): void {
    this.#cursorHidden = false;
  }
}

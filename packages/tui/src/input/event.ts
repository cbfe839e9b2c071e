// What the keyboard sends, after the bytes were read.

export interface Key {
  readonly kind: "key";
  /**
   * A character in lower case ("a", "/", "é", "👍"), or the name of a key: enter, tab, escape, backspace, delete,
   * insert, space, up, down, left, right, home, end, pageup, pagedown, f1 … f12.
   */
  readonly name: string;
  /** What it types, as it is to appear; absent for keys and chords that type nothing. */
  readonly text?: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
  /** Command or Windows key. Only terminals with the kitty protocol report it. */
  readonly super?: boolean;
  /** It came at once with other text, like something pasted: no one pressed it after a look at the screen. */
  readonly inText?: boolean;
  /** What a terminal says that reports every press: a press of its own, or a key that is held down. */
  readonly press?: "reported" | "repeated";
}

export interface Paste {
  readonly kind: "paste";
  readonly text: string;
}

export interface Focus {
  readonly kind: "focus";
  readonly focused: boolean;
}

/**
 * The terminal's answer to a question: only what was asked for. cursor: "row;column", from 1. kitty: the flags, a number.
 * version: name and version. background: "rgb:…", as reported. color-scheme: "1" is dark, "2" light. attributes: numbers
 * with `;` between.
 */
export interface TerminalReply {
  readonly kind: "reply";
  readonly of: "cursor" | "kitty" | "version" | "background" | "color-scheme" | "attributes";
  readonly text: string;
}

export type InputEvent = Key | Paste | Focus | TerminalReply;

// What is switched on in the terminal while the program has it, and how everything is switched off again.

import type { Terminal } from "./terminal.ts";
import type { TerminalReply } from "../input/event.ts";
import { KITTY, MODES, OTHER_KEYS, PRESSES, RESET, type ModeSequence } from "./reset.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Which terminal, its background, its keyboard protocol, and last what every terminal answers. */
const QUESTIONS = "\x1b[>0q\x1b]11;?\x1b\\\x1b[?u\x1b[>c";

const NO_TITLE = "\x1b]0;\x07";
const LEAVE_ALTERNATE = "\x1b[?1049l";

const KNOWN_KITTY = new Set(["ghostty", "kitty", "wezterm", "foot"]);

export interface TerminalModeOptions {
  readonly terminal: Pick<Terminal, "write" | "setRaw" | "discardInput">;
  readonly env: Env;
}

export class TerminalModeSwitch {
  readonly #terminal: TerminalModeOptions["terminal"];
  readonly #env: Env;
  /** What switches off what is on, first on first. */
  #on: string[] = [];
  #raw = false;
  #alternate = false;
  #presses = false;
  #title: string | undefined;

  constructor({ terminal, env }: TerminalModeOptions) {
    this.#terminal = terminal;
    this.#env = env;
  }

  /** Whether this terminal gets any sequences. */
  get speaks(): boolean {
    return this.#env.TERM !== "dumb";
  }

  enter(): void {
    if (this.#raw) return;
    this.#raw = true;
    this.#terminal.setRaw(true);
    if (!this.speaks) return;
    for (const mode of MODES) this.#switchOn(mode);
    const name = (this.#env.TERM_PROGRAM ?? this.#env.TERM?.replace(/^xterm-/, "") ?? "").toLowerCase();
    if (KNOWN_KITTY.has(name)) this.#switchOn(KITTY);
    this.reportPresses(this.#presses);
    if (this.#env.TMUX) this.#switchOn(OTHER_KEYS);
    this.#terminal.write(QUESTIONS);
    if (this.#title !== undefined) this.title(this.#title);
  }

  /** An answer of the terminal: it has the kitty keyboard protocol, or it is one that has xterm's. */
  reply({ of, text }: TerminalReply): void {
    if (of === "kitty") {
      this.#switchOn(KITTY);
      this.reportPresses(this.#presses);
    }
    if (of === "version" && /^\W*(?:xterm\(|tmux|mintty|iterm)/i.test(text)) this.#switchOn(OTHER_KEYS);
  }

  /** Whether the terminal tells a key that is held down from one that is pressed again, if it can. */
  reportPresses(on: boolean): void {
    this.#presses = on;
    if (on && this.#on.includes(KITTY.off)) this.#switchOn(PRESSES);
    else if (!on && this.#on.includes(PRESSES.off)) {
      this.#on = this.#on.filter((off) => off !== PRESSES.off);
      this.#terminal.write(PRESSES.off);
    }
  }

  /** The title of the window. Emptied while another program has the terminal, and at the end. */
  title(text: string): void {
    if (!this.speaks) return;
    this.#title = text;
    this.#terminal.write(`\x1b]0;${text}\x07`);
  }

  /** Told by whoever switches to the alternate screen, so that a crash leaves it. */
  alternate(on: boolean): void {
    this.#alternate = on;
  }

  /** Everything off in reverse order, then back to cooked mode. May be called from a signal handler, and twice. */
  restore(): void {
    if (!this.#raw) return;
    this.#raw = false;
    if (this.speaks) {
      const off = this.#on.toReversed().join("");
      this.#on = [];
      this.#terminal.write(
        `${this.#alternate ? LEAVE_ALTERNATE : ""}${off}${RESET}${this.#title === undefined ? "" : NO_TITLE}`,
      );
      this.#alternate = false;
    }
    this.#terminal.discardInput?.();
    this.#terminal.setRaw(false);
  }

  #switchOn({ on, off }: ModeSequence): void {
    if (!this.#raw || !this.speaks || this.#on.includes(off)) return;
    this.#on.push(off);
    this.#terminal.write(on);
  }
}

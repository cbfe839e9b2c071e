// The title of the window: a sign of what the session does, and its name.

import { isVariableOn } from "@keelson/protocol";
import { cleanRow } from "../screen/clean.ts";

interface TitleFacts {
  /** The name of the session, or of the folder. */
  readonly name: string;
  readonly working: boolean;
  /** A question waits for an answer. */
  readonly waiting: boolean;
  readonly now: number;
}

const STEP_MS = 960;

export class WindowTitle {
  readonly #enabled: boolean;
  readonly #animated: boolean;
  #shown = "";

  constructor(env: Readonly<Record<string, string | undefined>>, { still }: { readonly still: boolean }) {
    this.#enabled = !isVariableOn(env["CLAUDE_CODE_DISABLE_TERMINAL_TITLE"]);
    // Multiplexers show each change of a title as activity.
    this.#animated = !still && !env["TMUX"] && !env["STY"] && !isVariableOn(env["CLAUDE_CODE_ACCESSIBILITY"]);
  }

  /** The text for the title, if it changed. */
  next({ name, working, waiting, now }: TitleFacts): string | undefined {
    if (!this.#enabled) return undefined;
    const moving = working && !waiting && this.#animated;
    const mark = waiting ? "?" : working && !(moving && Math.floor(now / STEP_MS) % 2 === 1) ? "◆" : "◇";
    const text = `${mark} ${cleanRow(name).slice(0, 80)}`;
    if (text === this.#shown) return undefined;
    this.#shown = text;
    return text;
  }

  /** Milliseconds until the title changes by itself. */
  nextChange({ working, waiting, now }: Omit<TitleFacts, "name">): number | undefined {
    return this.#enabled && this.#animated && working && !waiting ? STEP_MS - (now % STEP_MS) : undefined;
  }
}

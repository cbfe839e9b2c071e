// Vim at the prompt: on or off, and loaded when it is first wanted.

import type { Key } from "../../input/event.ts";
import type { TextBuffer, TextPoint } from "../text-buffer.ts";
import type { Vim, VimMode, VimOutcome } from "./vim.ts";

export class PromptVim {
  readonly #buffer: TextBuffer;
  readonly #type: (key: Key) => void;
  #isOn = false;
  #vim: Vim | undefined;

  /** `type` types a key of a change that vim does again. */
  constructor(buffer: TextBuffer, type: (key: Key) => void) {
    this.#buffer = buffer;
    this.#type = type;
  }

  /** Undefined if it is off. */
  get mode(): VimMode | undefined {
    return this.#isOn ? (this.#vim?.mode ?? "INSERT") : undefined;
  }

  get isLoaded(): boolean {
    return this.#vim !== undefined;
  }

  /** Resolves when its keys are there; until then it is as in INSERT. */
  async set(on: boolean): Promise<void> {
    this.#isOn = on;
    this.#vim = undefined;
    if (!on) return;
    // Few use it, and the first frame does not need it.
    const { Vim } = await import("./vim.ts");
    if (this.#isOn) this.#vim ??= new Vim(this.#buffer, this.#type);
  }

  take(key: Key): VimOutcome {
    return this.#vim?.take(key) ?? "pass";
  }

  selection(): { from: TextPoint; to: TextPoint } | undefined {
    return this.#vim?.selection();
  }

  /** The prompt moved the cursor. */
  settle(): void {
    this.#vim?.settle();
  }

  /** A new draft. */
  reset(): void {
    this.#vim?.reset();
  }
}

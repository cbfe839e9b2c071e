// What lies over the whole window: the transcript, a diff. One at a time.

import type { InputEvent } from "../../input/event.ts";
import type { FullScreen } from "../../screen/port.ts";
import type { Panel } from "../../screen/view.ts";
import type { TerminalModeSwitch } from "../../terminal/modes.ts";
import type { App } from "../app.ts";

interface OpenViewer {
  readonly panel: Panel<unknown>;
  readonly on: FullScreen;
  close(value: unknown): void;
}

export class FullWindow {
  readonly #app: Pick<App, "screen" | "frame">;
  readonly #modes: Pick<TerminalModeSwitch, "alternate">;
  #viewer: OpenViewer | undefined;
  /** When the user closed the last one, and with it what lay over a question. */
  closedAt = -Infinity;

  constructor(app: Pick<App, "screen" | "frame">, modes: Pick<TerminalModeSwitch, "alternate">) {
    this.#app = app;
    this.#modes = modes;
  }

  get isOpen(): boolean {
    return this.#viewer !== undefined;
  }

  /** Resolves when the panel is done, or with undefined when another takes its place. */
  async show<T>(panel: Panel<T>): Promise<T | undefined> {
    this.#viewer?.close(undefined);
    const { promise, resolve } = Promise.withResolvers<T | undefined>();
    this.#modes.alternate(true);
    const on = this.#app.screen.fullScreen((size) => panel.render(this.#app.frame(size)));
    const viewer: OpenViewer = {
      panel,
      on,
      close: (value) => {
        if (this.#viewer === viewer) this.#viewer = undefined;
        on.close();
        this.#modes.alternate(false);
        resolve(value as T | undefined);
      },
    };
    this.#viewer = viewer;
    return promise;
  }

  take(event: InputEvent, now: number): void {
    const done = this.#viewer?.panel.take(event, now);
    if (!done) return;
    this.#viewer?.close(done.value);
    this.closedAt = now;
  }

  changed(options?: { readonly now?: boolean }): void {
    this.#viewer?.on.changed(options);
  }
}

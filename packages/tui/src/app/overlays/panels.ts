// What lies over the prompt: dialogs, pickers and lists. The one on top gets the keys.

import type { InputEvent } from "../../input/event.ts";
import type { Frame, Panel, Rendered, View } from "../../screen/view.ts";

interface OpenPanel {
  readonly panel: Panel<unknown>;
  readonly owner: string;
  close(value: unknown): void;
}

export interface PanelPlace {
  readonly owner?: string;
  readonly insteadOf?: string;
}

export class Panels implements View {
  readonly #open: OpenPanel[] = [];

  get top(): Panel<unknown> | undefined {
    return this.#open.at(-1)?.panel;
  }

  /**
   * Shows a panel until it is done. Undefined if it was taken away first. `owner` names it for `remove`. It comes to the
   * top, or to the place of the panel of another owner, `insteadOf`.
   */
  show<T>(panel: Panel<T>, { owner = "", insteadOf }: PanelPlace = {}): Promise<T | undefined> {
    return new Promise((resolve) => {
      const opened = { panel, owner, close: resolve as (value: unknown) => void };
      const at = insteadOf === undefined ? -1 : this.#open.findIndex((each) => each.owner === insteadOf);
      if (at === -1) this.#open.push(opened);
      else for (const { close } of this.#open.splice(at, 1, opened)) close(undefined);
    });
  }

  take(event: InputEvent, now: number): void {
    this.#give(this.#open.at(-1), event, now);
  }

  /** For the panel below the top one. False if there is none. */
  takeBelow(event: InputEvent, now: number): boolean {
    return this.#give(this.#open.at(-2), event, now);
  }

  #give(open: OpenPanel | undefined, event: InputEvent, now: number): boolean {
    const done = open?.panel.take(event, now);
    if (!open || !done) return open !== undefined;
    this.#open.splice(this.#open.indexOf(open), 1);
    open.close(done.value);
    return true;
  }

  /** Takes panels away without an answer. */
  remove(owner: string): void {
    for (const open of this.#open.filter((each) => each.owner === owner)) {
      this.#open.splice(this.#open.indexOf(open), 1);
      open.close(undefined);
    }
  }

  clear(): void {
    for (const open of this.#open.splice(0)) open.close(undefined);
  }

  render(frame: Frame): Rendered {
    return this.top?.render(frame) ?? { rows: [] };
  }

  nextChange(now: number): number | undefined {
    return this.top?.nextChange?.(now);
  }
}

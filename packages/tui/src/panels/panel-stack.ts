// Panels on top of each other: a list, and what opens from it. Closing the one on top leads back to the one below.

import type { InputEvent } from "../input/event.ts";
import type { Done, Frame, Panel, Rendered } from "../screen/view.ts";

interface Layer<T> {
  readonly panel: Panel<unknown>;
  /** What the answer of this panel means for the whole; undefined leads back to the panel below. */
  ended(value: unknown): Done<T> | undefined;
}

export class PanelStack<T> implements Panel<T> {
  readonly #base: Panel<T>;
  readonly #layers: Layer<T>[] = [];

  /** The panel at the bottom gets the stack, to open others. */
  constructor(base: (stack: PanelStack<T>) => Panel<T>) {
    this.#base = base(this);
  }

  open<U>(panel: Panel<U>, ended: (value: U) => Done<T> | undefined | void): void {
    this.#layers.push({ panel, ended: (value) => ended(value as U) ?? undefined });
  }

  take(event: InputEvent, now: number): Done<T> | undefined {
    const layer = this.#layers.at(-1);
    if (layer === undefined) return this.#base.take(event, now);
    const done = layer.panel.take(event, now);
    if (done === undefined) return undefined;
    // It may open the next one itself, so it is taken off first.
    this.#layers.splice(this.#layers.indexOf(layer), 1);
    return layer.ended(done.value);
  }

  render(frame: Frame): Rendered {
    return this.#top.render(frame);
  }

  nextChange(now: number): number | undefined {
    return this.#top.nextChange?.(now);
  }

  get #top(): Panel<unknown> {
    return this.#layers.at(-1)?.panel ?? this.#base;
  }
}

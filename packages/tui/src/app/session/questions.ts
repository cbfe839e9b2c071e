// The questions of a session, asked one after the other in the order they came. One that the session takes back
// disappears, shown or not.

import type { ControlRequest } from "@keelson/protocol";

export class Questions {
  readonly #waiting: ControlRequest[] = [];
  #shown: ControlRequest | undefined;

  /** The question to show now, if another is not still shown. */
  next(): ControlRequest | undefined {
    if (this.#shown !== undefined) return undefined;
    this.#shown = this.#waiting.shift();
    return this.#shown;
  }

  add(request: ControlRequest): void {
    this.#waiting.push(request);
  }

  /** The shown question was answered. */
  answered(): void {
    this.#shown = undefined;
  }

  /** Returns the question, if it was there. */
  withdraw(requestId: string): ControlRequest | undefined {
    const shown = this.#shown;
    if (shown?.request_id === requestId) {
      this.#shown = undefined;
      return shown;
    }
    const at = this.#waiting.findIndex(({ request_id }) => request_id === requestId);
    return at < 0 ? undefined : this.#waiting.splice(at, 1)[0];
  }

  get shown(): ControlRequest | undefined {
    return this.#shown;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  clear(): void {
    this.#waiting.length = 0;
    this.#shown = undefined;
  }
}

// How many sockets are open. A page has one for its list, and one for each session that it shows.

import { MAX_SOCKETS, MAX_SOCKETS_OF_DEVICE } from "../door/limits.ts";
import { HttpRefusal } from "../door/refusal.ts";

/** Of all devices together. */
export class SocketCount {
  all = 0;
}

/** Of one kind. */
export class SocketLimits {
  readonly #count: SocketCount;
  readonly #ofDevice = new Map<string, number>();

  constructor(count: SocketCount) {
    this.#count = count;
  }

  /** Counts one more of this device. Throws a HttpRefusal if there are too many already. */
  add(device: string): void {
    const own = this.#ofDevice.get(device) ?? 0;
    if (own >= MAX_SOCKETS_OF_DEVICE || this.#count.all >= MAX_SOCKETS)
      throw new HttpRefusal("rate_limit", "Too many streams are open; close some pages", { "Retry-After": "10" });
    this.#ofDevice.set(device, own + 1);
    this.#count.all++;
  }

  /** It was closed, or did not open. */
  remove(device: string): void {
    const own = this.#ofDevice.get(device) ?? 0;
    if (own <= 1) this.#ofDevice.delete(device);
    else this.#ofDevice.set(device, own - 1);
    this.#count.all--;
  }
}

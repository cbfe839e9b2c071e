// What the bodies of all requests together keep in memory. When there is no room for more, the ones that take too long to arrive make it:
// whoever sends a part and waits cannot keep the others out.

/** Without anything for so long, a body counts as stalled. */
const STALLED_MS = 2_000;
/** GitHub waits no longer for a delivery. */
const SLOW_MS = 10_000;

/** Of one request. */
export interface HeldBody {
  /** From now on it arrives, and may be cut off. */
  arrives(cut: () => void): void;
  /** False: there is no room. */
  add(bytes: number): boolean;
  /** It is there, and will not be cut off any more. */
  arrived(): void;
  readonly isCut: boolean;
  /** The request was answered. */
  end(): void;
}

interface Held {
  bytes: number;
  beganAt: number;
  heardAt: number;
  isCut: boolean;
  cut: (() => void) | undefined;
}

export class HeldBodies {
  readonly #most: number;
  readonly #now: () => number;
  readonly #arriving = new Set<Held>();
  #bytes = 0;

  constructor(most: number, now: () => number = () => performance.now()) {
    this.#most = most;
    this.#now = now;
  }

  begin(): HeldBody {
    const held: Held = { bytes: 0, beganAt: 0, heardAt: 0, isCut: false, cut: undefined };
    return {
      arrives: (cut) => {
        held.cut = cut;
        held.beganAt = held.heardAt = this.#now();
        this.#arriving.add(held);
      },
      add: (bytes) => {
        held.heardAt = this.#now();
        if (!this.#makeRoom(bytes, held)) return false;
        held.bytes += bytes;
        this.#bytes += bytes;
        return true;
      },
      arrived: () => void this.#arriving.delete(held),
      get isCut() {
        return held.isCut;
      },
      end: () => this.#release(held),
    };
  }

  #makeRoom(bytes: number, wanted: Held): boolean {
    const now = this.#now();
    const isInTheWay = ({ beganAt, heardAt }: Held) => now - heardAt >= STALLED_MS || now - beganAt >= SLOW_MS;
    while (this.#bytes + bytes > this.#most) {
      let victim: Held | undefined;
      for (const each of this.#arriving)
        if (each !== wanted && each.bytes > 0 && isInTheWay(each) && each.beganAt < (victim?.beganAt ?? Infinity))
          victim = each;
      if (victim === undefined) return false;
      victim.isCut = true;
      this.#release(victim);
      victim.cut?.();
    }
    return true;
  }

  #release(held: Held): void {
    this.#arriving.delete(held);
    this.#bytes -= held.bytes;
    held.bytes = 0;
  }
}

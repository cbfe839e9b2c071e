// Codes that sign one device in: for one minute, and once.

import { tokenHash, randomText, type DeviceRole } from "./devices.ts";

export const CODE_MS = 60_000;
/** Older ones make room. */
const MAX_OPEN = 20;

/** What a code is for. */
export interface SignInGrant {
  readonly role: DeviceRole;
  /** The session that the page shows first. It is no limit: the device gets all of them. */
  readonly session?: string;
}

interface OpenCode {
  readonly grant: SignInGrant;
  readonly untilMs: number;
}

export class SignInCodes {
  readonly #now: () => number;
  readonly #open = new Map<string, OpenCode>();

  constructor(now: () => number) {
    this.#now = now;
  }

  make(grant: SignInGrant): string {
    const code = randomText();
    this.#open.set(tokenHash(code), { grant, untilMs: this.#now() + CODE_MS });
    if (this.#open.size > MAX_OPEN) this.#open.delete(this.#open.keys().next().value!);
    return code;
  }

  /** What it grants. It cannot be used again, even if signing in fails. */
  use(code: string): SignInGrant | undefined {
    const hash = tokenHash(code);
    const found = this.#open.get(hash);
    this.#open.delete(hash);
    return found !== undefined && this.#now() < found.untilMs ? found.grant : undefined;
  }
}

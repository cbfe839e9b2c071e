// How long a run waited for the user's answers, which is not time that the agent worked.

export class UserTime {
  #since: number | undefined;
  #before = 0;

  /** Whether a question is open from now on. */
  set(isOpen: boolean, now: number): void {
    if (isOpen === (this.#since !== undefined)) return;
    this.#before = this.total(now);
    this.#since = isOpen ? now : undefined;
  }

  total(now: number): number {
    return this.#before + (this.#since === undefined ? 0 : now - this.#since);
  }

  /** The run is over. */
  restart(now: number): void {
    this.#before = 0;
    if (this.#since !== undefined) this.#since = now;
  }
}

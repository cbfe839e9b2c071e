// Many agents must not keep the session from its input: between two looks at the input, only a few of them take a step.

const STEPS = 4;

export class StepQueue {
  readonly #later: (then: () => void) => void;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;
  #scheduled = false;

  /** `later` calls back after the next look at the input. */
  constructor(later: (then: () => void) => void = (then) => void setImmediate(then)) {
    this.#later = later;
  }

  /** Before a step. Undefined if it can be taken at once. */
  step(): Promise<void> | undefined {
    if (this.#taken >= STEPS || this.#waiting.length > 0) {
      return new Promise((resolve) => this.run(resolve));
    }
    this.#taken++;
    this.#schedule();
    return undefined;
  }

  /** Does some work as a step of its own, never at once. */
  run(work: () => void): void {
    this.#waiting.push(work);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#later(() => {
      this.#scheduled = false;
      const due = this.#waiting.splice(0, STEPS);
      this.#taken = due.length;
      if (due.length > 0) this.#schedule();
      for (const work of due) work();
    });
  }
}

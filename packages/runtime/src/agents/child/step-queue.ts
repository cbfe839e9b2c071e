// Many agents must not keep the session from its input: between two looks at the input, only a few of them take a step.

const STEPS = 4;

export class StepQueue {
  readonly #later: (then: () => void) => void;
  readonly #steps: (() => void)[] = [];
  readonly #chores: (() => void)[] = [];
  #taken = 0;
  #scheduled = false;

  /** `later` calls back after the next look at the input. */
  constructor(later: (then: () => void) => void = (then) => void setImmediate(then)) {
    this.#later = later;
  }

  /** Before a step. Undefined if it can be taken at once. */
  step(): Promise<void> | undefined {
    this.#schedule();
    if (this.#taken >= STEPS) return new Promise((resolve) => this.#steps.push(resolve));
    this.#taken++;
    return undefined;
  }

  /** Does some work that can wait until there are fewer steps to take. Each look at the input leaves time for one. */
  chore(work: () => void): void {
    this.#chores.push(work);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#later(() => {
      this.#scheduled = false;
      const steps = this.#steps.splice(0, STEPS);
      const chores = this.#chores.splice(0, Math.max(1, STEPS - steps.length));
      this.#taken = steps.length;
      if (steps.length + chores.length > 0) this.#schedule();
      for (const go of [...steps, ...chores]) go();
    });
  }
}

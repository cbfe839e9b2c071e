// Asks the terminal where its cursor is and how wide its window is, and stops asking one that does not answer.

/** In the last column, so that the answer has the width that the window has when it gets here. */
const ASK = "\r\x1b[999C\x1b[6n\r";
/** A terminal that takes longer is not waited for, and not asked again. */
const ANSWER_MS = 300;
/** One that has answered before is only busy, or far away. */
const LATE_ANSWER_MS = 3_000;

export interface PlaceAnswer<T> {
  readonly about: T;
  /** From 0. */
  readonly row: number;
  readonly columns: number;
}

export class PlaceQuestions<T> {
  readonly #schedule: (callback: () => void, ms: number) => () => void;
  readonly #givenUp: () => void;
  #pending: T[] = [];
  #cancel: (() => void) | undefined;
  #silent = false;
  #hasAnswered = false;
  #answered = Promise.withResolvers<void>();

  constructor(schedule: (callback: () => void, ms: number) => () => void, givenUp: () => void) {
    this.#schedule = schedule;
    this.#givenUp = givenUp;
  }

  get areOpen(): boolean {
    return this.#pending.length > 0;
  }

  get mayAsk(): boolean {
    return !this.#silent;
  }

  /** What to write. The cursor is in column 1 after it. */
  ask(about: T): string {
    this.#pending.push(about);
    this.#wait();
    return ASK;
  }

  /** Takes `row;column`. */
  answer(text: string): PlaceAnswer<T> | undefined {
    const [, row, columns] = /(\d+);(\d+)/.exec(text) ?? [];
    const about = this.#pending.shift();
    if (about === undefined || row === undefined) return undefined;
    this.#hasAnswered = true;
    this.stop();
    if (this.areOpen) this.#wait();
    else this.#answered.resolve();
    return { about, row: Math.max(0, Number(row) - 1), columns: Math.max(1, Number(columns)) };
  }

  #wait(ms = this.#hasAnswered ? LATE_ANSWER_MS : ANSWER_MS): void {
    this.#cancel ??= this.#schedule(() => {
      this.giveUp();
      this.#givenUp();
    }, ms);
  }

  /** Asks no more. */
  giveUp(): void {
    this.stop();
    this.#silent = true;
    this.#pending = [];
    this.#answered.resolve();
  }

  /** Resolves when no answer is on its way any more, or will ever come. */
  async whenAnswered(): Promise<void> {
    if (!this.areOpen) return;
    this.#answered = Promise.withResolvers();
    // Someone is leaving: a busy terminal is not waited for any longer than another.
    this.stop();
    this.#wait(ANSWER_MS);
    await this.#answered.promise;
  }

  /** Waits no longer. Answers may still come. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

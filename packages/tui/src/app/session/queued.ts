// Prompts that were sent while the agent works and that the model has not been given yet. Shown above the prompt.

import { cleanRow } from "../../screen/clean.ts";
import { fit } from "../../screen/rows.ts";
import type { Frame, Rendered, View } from "../../screen/view.ts";

export interface QueuedPrompt {
  readonly uuid: string;
  /** As it was typed, to be edited again. */
  readonly draft: string;
}

const SHOWN = 4;

export class Queued implements View {
  #prompts: readonly QueuedPrompt[] = [];

  add(prompt: QueuedPrompt): void {
    this.#prompts = [...this.#prompts, prompt];
  }

  /** It was given to the model, or taken back. */
  remove(uuid: string): void {
    this.#prompts = this.#prompts.filter((prompt) => prompt.uuid !== uuid);
  }

  get newest(): QueuedPrompt | undefined {
    return this.#prompts.at(-1);
  }

  /** What was typed, oldest first. */
  get drafts(): readonly string[] {
    return this.#prompts.map(({ draft }) => draft);
  }

  get count(): number {
    return this.#prompts.length;
  }

  clear(): void {
    this.#prompts = [];
  }

  render({ columns, theme }: Frame): Rendered {
    const left = this.#prompts.length - SHOWN;
    const rows = this.#prompts
      .slice(0, SHOWN)
      .map(({ draft }) => theme.paint("dim", fit(`  ⤷ ${cleanRow(draft)}`, columns)));
    if (left > 0) rows.push(theme.paint("dim", fit(`    and ${left} more`, columns)));
    return { rows };
  }
}

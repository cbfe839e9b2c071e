// Prompts that the session has not confirmed, and what is typed: both survive a reload of the page.

import type { PromptMessage } from "@keelson/protocol";

export interface OutgoingPrompt {
  readonly uuid: string;
  readonly text: string;
  readonly message: PromptMessage;
  /** The session has it, and it waits for its turn. */
  isQueued: boolean;
}

export class Outgoing {
  readonly #key: string;
  #prompts: readonly OutgoingPrompt[];

  constructor(session: string) {
    this.#key = `keelson-outgoing-${session}`;
    this.#prompts = parsed(sessionStorage.getItem(this.#key));
  }

  get prompts(): readonly OutgoingPrompt[] {
    return this.#prompts;
  }

  add(prompt: OutgoingPrompt): void {
    this.#keep([...this.#prompts, prompt]);
  }

  queued(uuid: string): void {
    this.#keep(this.#prompts.map((each) => (each.uuid === uuid ? { ...each, isQueued: true } : each)));
  }

  /** It runs, or never will. Returns it if it was waited for. */
  settle(uuid: string): OutgoingPrompt | undefined {
    const found = this.#prompts.find((each) => each.uuid === uuid);
    if (found) this.#keep(this.#prompts.filter((each) => each !== found));
    return found;
  }

  #keep(prompts: readonly OutgoingPrompt[]): void {
    this.#prompts = prompts;
    try {
      if (prompts.length === 0) sessionStorage.removeItem(this.#key);
      else sessionStorage.setItem(this.#key, JSON.stringify(prompts));
    } catch {
      // With large images there is no room for it; then it does not survive a reload.
    }
  }
}

function parsed(text: string | null): readonly OutgoingPrompt[] {
  try {
    const value: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(value) ? (value as OutgoingPrompt[]) : [];
  } catch {
    return [];
  }
}

const draftKey = (session: string) => `keelson-draft-${session}`;

export const draftOf = (session: string) => localStorage.getItem(draftKey(session)) ?? "";

export function keepDraft(session: string, text: string): void {
  try {
    if (text === "") localStorage.removeItem(draftKey(session));
    else localStorage.setItem(draftKey(session), text);
  } catch {
    // There is no room for it.
  }
}

// Questions beside the conversation (`/btw`): answered at once, also while a prompt runs, and not added to it.

import type { Requests } from "@keelson/client";
import { isText, type PromptMessage } from "@keelson/protocol";
import type { TurnEnd } from "./stop-reason.ts";

export interface AsidesOptions {
  requests(): Requests;
  /** Rejects with an RpcError if there is no one to answer. */
  mayRun(): Promise<void>;
  answered(question: string, answer: string): Promise<void>;
}

/** The session has it only at a terminal. */
export const ASIDE_COMMAND = {
  name: "btw",
  description: "Ask something without adding it to the conversation",
  argumentHint: "<question>",
} as const;

export class Asides {
  readonly #options: AsidesOptions;
  readonly #open = new Set<AbortController>();

  constructor(options: AsidesOptions) {
    this.#options = options;
  }

  /** Resolves when the answer is shown, or the signal took the question back. */
  async ask(question: string, signal: AbortSignal): Promise<TurnEnd> {
    const { requests, mayRun, answered } = this.#options;
    const stopped = new AbortController();
    this.#open.add(stopped);
    const either = AbortSignal.any([signal, stopped.signal]);
    try {
      await mayRun();
      const reply = question === "" ? USAGE : await requests().request("side_question", { question }, either);
      if (either.aborted) return "cancelled";
      await answered(`/btw ${question}`.trimEnd(), reply.response);
      return "end_turn";
    } catch (error) {
      if (either.aborted) return "cancelled";
      throw error;
    } finally {
      this.#open.delete(stopped);
    }
  }

  cancel(): void {
    for (const each of this.#open) each.abort();
  }
}

const USAGE = { response: "/btw requires a question: /btw <question>" };

/** What is asked, if it is such a question. */
export function asideIn(content: PromptMessage["message"]["content"]): string | undefined {
  const [block, more] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  if (block === undefined || more !== undefined || !isText(block)) return undefined;
  return /^\s*\/btw(?:\s+([\s\S]*))?$/.exec(block.text)?.slice(1).join("").trim();
}

// Questions beside the conversation (`/btw`): answered at once, also while a prompt runs, and not added to it.

import type { Requests } from "@keelson/client";
import { blocksOf, isText, type PromptMessage } from "@keelson/protocol";
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

export interface Aside {
  readonly question: string;
  /** Something was attached to it. */
  readonly leavesOut: boolean;
}

export class Asides {
  readonly #options: AsidesOptions;
  readonly #open = new Set<AbortController>();

  constructor(options: AsidesOptions) {
    this.#options = options;
  }

  /** Resolves when the answer is shown, or the signal took the question back. */
  async ask({ question, leavesOut }: Aside, signal: AbortSignal): Promise<TurnEnd> {
    const { requests, mayRun, answered } = this.#options;
    const stopped = new AbortController();
    this.#open.add(stopped);
    const either = AbortSignal.any([signal, stopped.signal]);
    try {
      await mayRun();
      const reply = question === "" ? USAGE : await requests().request("side_question", { question }, either);
      if (either.aborted) return "cancelled";
      const answer = leavesOut ? `${LEFT_OUT}\n\n${reply.response}` : reply.response;
      await answered(`/btw ${question}`.trimEnd(), answer);
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

const LEFT_OUT = "/btw takes only text: what is attached to the question was left out.";

const USAGE = { response: "/btw requires a question: /btw <question>" };

/** What is asked, if it is such a question. Images and files beside it cannot be sent with it. */
export function asideIn(content: PromptMessage["message"]["content"]): Aside | undefined {
  const block = blocksOf(content).find(isText);
  if (block === undefined) return undefined;
  const question = /^\s*\/btw(?:\s+([\s\S]*))?$/.exec(block.text)?.slice(1).join("").trim();
  return question === undefined ? undefined : { question, leavesOut: blocksOf(content).length > 1 };
}

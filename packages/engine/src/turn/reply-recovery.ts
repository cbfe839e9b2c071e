// How often the engine helps the model recover before a run gives up: cut replies, missing or invalid structured
// output.

import type { Limits } from "../ports.ts";
import type { Ending } from "../run/result.ts";
import { STRUCTURED_NUDGE, STRUCTURED_OUTPUT } from "./structured.ts";
import type { SettledCall } from "../tool/tool-call.ts";
import type { ModelReply } from "./turn.ts";

const MAX_RESUMPTIONS = 3;
/** A server may pause a long turn. One that does nothing else would never finish. */
const MAX_PAUSES = 100;
const GO_ON = "Your reply was cut off. Continue exactly where it stopped, without repeating anything.";

/** End the run, nudge the model and ask again, ask again as is, or (if empty) let the loop decide. */
export interface RecoveryStep {
  readonly ending?: Ending;
  readonly nudge?: string;
  readonly again?: true;
}

export class ReplyRecovery {
  readonly #limits: Limits;
  #resumptions = 0;
  #pauses = 0;
  #misfits = 0;
  #nudged = false;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  after({ text, stopReason, cut }: ModelReply, settled: readonly SettledCall[], more: boolean): RecoveryStep {
    const { structured } = this.#limits;
    this.#misfits += settled.filter(({ tool, failed }) => tool === STRUCTURED_OUTPUT && failed).length;
    if (structured && this.#misfits >= structured.maxRetries) {
      return { ending: { reason: "structured_output_retry_exhausted", text, stopReason } };
    }
    if (more) return {};
    if (stopReason === "pause_turn") {
      return ++this.#pauses <= MAX_PAUSES
        ? { again: true }
        : { ending: { reason: "model_error", text: PAUSED, stopReason } };
    }
    if (cut || stopReason === "max_tokens" || stopReason === "model_context_window_exceeded") {
      if (++this.#resumptions <= MAX_RESUMPTIONS) return { nudge: GO_ON };
      return { ending: { reason: "model_error", text: cut ? LOST : TOO_LONG, stopReason } };
    }
    if (stopReason === "refusal") {
      return { ending: { reason: "api_error", text: text || "The model declined to answer this request", stopReason } };
    }
    if (structured && !this.#nudged) {
      this.#nudged = true;
      return { nudge: STRUCTURED_NUDGE };
    }
    return {};
  }
}

const LOST = "API Error: the connection to the model was lost repeatedly in the middle of a reply";
const PAUSED = `API Error: the model paused its turn more than ${MAX_PAUSES} times; ask for less at once`;
const TOO_LONG =
  "API Error: the reply exceeded the model's output limit repeatedly; ask for a shorter answer or raise CLAUDE_CODE_MAX_OUTPUT_TOKENS";

// How often the engine helps the model recover before a run gives up: cut replies, missing or invalid structured
// output.

import type { Limits } from "../ports.ts";
import type { RunFailure } from "../run/ending.ts";
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
  readonly failure?: RunFailure;
  readonly nudge?: string;
  readonly again?: true;
}

export class ReplyRecovery {
  readonly #limits: Limits;
  #resumptions = 0;
  #pauses = 0;
  #misfits = 0;
  #nudged = false;
  #silent = false;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** `more`: the run continues in any case. `isLast`: the limit allows no further turn. */
  after(
    { text, stopReason, cut }: ModelReply,
    settled: readonly SettledCall[],
    { more, isLast }: { readonly more: boolean; readonly isLast: boolean },
  ): RecoveryStep {
    const { structured } = this.#limits;
    this.#misfits += settled.filter(({ tool, failed }) => tool === STRUCTURED_OUTPUT && failed).length;
    if (structured && this.#misfits >= structured.maxRetries) {
      return { ending: { reason: "structured_output_retry_exhausted", text, stopReason } };
    }
    if (more) return {};
    if (stopReason === "pause_turn") {
      return ++this.#pauses <= MAX_PAUSES ? { again: true } : { failure: { text: PAUSED, error: "unknown" } };
    }
    if (cut || stopReason === "max_tokens" || stopReason === "model_context_window_exceeded") {
      // There is nothing to continue after a thought alone.
      if (++this.#resumptions <= MAX_RESUMPTIONS) return cut && text.trim() === "" ? { again: true } : { nudge: GO_ON };
      return { failure: cut ? { text: LOST, error: "unknown" } : { text: TOO_LONG, error: "max_output_tokens" } };
    }
    if (stopReason === "refusal") {
      return { failure: { text: REFUSED, error: "invalid_request" } };
    }
    if (structured && !this.#nudged) {
      this.#nudged = true;
      return { nudge: STRUCTURED_NUDGE };
    }
    if (text.trim() === "" && !this.#silent && !isLast) {
      this.#silent = true;
      return { nudge: SAY_SOMETHING };
    }
    return {};
  }
}

/** Once in a run: a model that has nothing to say ends it all the same. */
const SAY_SOMETHING = "Your reply had no text that the user can see. Continue, and end with a reply for the user.";
const REFUSED =
  "API Error: the model refused to answer this request; rephrase it, start a new session, or choose another model";
const LOST = "API Error: the connection to the model was lost repeatedly in the middle of a reply";
const PAUSED = `API Error: the model paused its turn more than ${MAX_PAUSES} times; ask for less at once`;
const TOO_LONG =
  "API Error: the reply exceeded the model's output limit repeatedly; ask for a shorter answer or raise CLAUDE_CODE_MAX_OUTPUT_TOKENS";

// The functions of tool-outcome.ts, 9 KB that no session needs before its first call.

import type * as Outcome from "./tool-outcome.ts";

let outcome: typeof Outcome | undefined;
// Kept: each `require` takes as long as a small function of the module.
const load = () => (outcome ??= require("./tool-outcome.ts") as typeof Outcome);

export const ENDED = "The call did not run: a hook ended the run.";

export const deferralEntry: typeof Outcome.deferralEntry = (...given) => load().deferralEntry(...given);
export const denied: typeof Outcome.denied = (...given) => load().denied(...given);
export const failureOf: typeof Outcome.failureOf = (...given) => load().failureOf(...given);
export const fitted: typeof Outcome.fitted = (...given) => load().fitted(...given);
export const invalidCall: typeof Outcome.invalidCall = (...given) => load().invalidCall(...given);
export const limitShown: typeof Outcome.limitShown = (...given) => load().limitShown(...given);
export const refused: typeof Outcome.refused = (...given) => load().refused(...given);
export const remindersOf: typeof Outcome.remindersOf = (...given) => load().remindersOf(...given);
export const replacedByHook: typeof Outcome.replacedByHook = (...given) => load().replacedByHook(...given);
export const resultEntry: typeof Outcome.resultEntry = (...given) => load().resultEntry(...given);
export const stopped: typeof Outcome.stopped = () => load().stopped();

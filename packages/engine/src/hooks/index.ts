// The pure half of hooks: which handlers run for an event, what input they get, and what their replies mean. A separate
// entry point, so a session without hooks never loads it. The host runs the handlers.

export { hookEventCatalog, EVENT_FACTS, type EventFacts } from "./event-facts.ts";
export { hookInput, eventLabel, matcherSubject, type HookBase } from "./event-input.ts";
export { hookProblem, selectHooks } from "./select/planner.ts";
export type { ConditionCall } from "./select/condition.ts";
export { sessionEndBudget, hookTimeout } from "./select/timeout.ts";
export { readReply, type HookReply } from "./reply/reply.ts";
export { readBackgroundReply, type BackgroundReply } from "./reply/background-reply.ts";
export { foldReplies } from "./reply/aggregator.ts";
export { handlerName, type FiredHook } from "./reply/text.ts";

/** Loads `ifMatcher` when a hook has an `if`. It brings in the shell parser (25 ms from source, 1 ms bundled). */
export const loadConditions = () => import("./select/condition.ts");

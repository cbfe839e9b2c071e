// Hooks, the pure half: which handlers run for an event, what they are told, and what their answers mean.
// A door of its own: a session without hooks never loads what is behind it. Running handlers is the host's work.

export { hookEventCatalog, EVENT_FACTS, type EventFacts } from "./event-facts.ts";
export { hookInput, eventLabel, matcherSubject, type HookBase } from "./event-input.ts";
export { hookProblem, selectHooks } from "./planner.ts";
export type { ConditionCall } from "./condition.ts";
export { sessionEndBudget, hookTimeout } from "./timeout.ts";
export { readReply, type HookReply } from "./reply.ts";
export { readBackgroundReply, type BackgroundReply } from "./background-reply.ts";
export { foldReplies } from "./aggregator.ts";
export { handlerName, type FiredHook } from "./text.ts";

/** `ifMatcher`, loaded when a hook has an `if`: the shell parser comes with it (25 ms from source, 1 ms bundled). */
export const loadConditions = () => import("./condition.ts");

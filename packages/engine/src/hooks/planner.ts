// Which handlers run for a firing: those of the event whose mechanism, matcher and `if` agree, each once.

import type { HookEvent, HookHandler, HookRegistration } from "@keelson/protocol";
import { EVENT_FACTS, isToolEvent } from "./event-facts.ts";
import { matcherProblem, readMatcher, type Matcher } from "./matcher.ts";

/** `matchesIf` answers for one rule whether it speaks about the call; asked only where a handler has an `if`. */
export async function selectHooks(
  registrations: readonly HookRegistration[],
  event: HookEvent,
  subject: string | undefined,
  matchesIf: (rule: string) => boolean | Promise<boolean>,
): Promise<HookRegistration[]> {
  const found = registrations.filter((each) => each.event === event && matcherOf(each)(subject));
  const distinct = found.length > 1 ? withoutCopies(found) : found;
  if (distinct.every(({ handler }) => handler.if === undefined)) return distinct;
  const wanted = await Promise.all(distinct.map(({ handler }) => isWanted(handler, matchesIf)));
  return distinct.filter((_, at) => wanted[at]);
}

/** Why a registration never runs, or not as written; undefined when nothing stands in its way. For people. */
export function hookProblem(registration: HookRegistration): string | undefined {
  return barrier(registration) ?? matcherProblem(registration.event, registration.matcher);
}

/** A memo on values that never change; without it 200 patterns would be read anew for every tool call. */
const matchers = new WeakMap<HookRegistration, Matcher>();

function matcherOf(registration: HookRegistration): Matcher {
  const known = matchers.get(registration);
  if (known) return known;
  const isIdle = barrier(registration) !== undefined;
  const made: Matcher = isIdle ? () => false : readMatcher(registration.event, registration.matcher);
  matchers.set(registration, made);
  return made;
}

function barrier({ event, handler }: HookRegistration): string | undefined {
  const { mechanisms } = EVENT_FACTS[event];
  if (!mechanisms.includes(handler.type)) {
    const offered = mechanisms.filter((type) => type !== "callback").join(", ");
    return `${event} does not run hooks of type "${handler.type}"; use ${offered}`;
  }
  if (handler.if !== undefined && !isToolEvent(event))
    return `"if" needs a tool call to look at, and ${event} has none; remove it`;
  return undefined;
}

/** The first of each stays. */
function withoutCopies(registrations: readonly HookRegistration[]): HookRegistration[] {
  const seen = new Set<string>();
  return registrations.filter((each) => seen.size < seen.add(identity(each)).size);
}

/**
 * The same handler in several files or groups is one. The same in every field: a copy with another `timeout` or
 * `onFailure` must not take the place of the one somebody relies on. What plugins, skills and agents bring stays theirs.
 */
function identity({ handler, source, root, file }: HookRegistration): string {
  const { statusMessage: _, ...rest } = handler;
  const owner = source === "pluginHook" || source === "skill" || source === "agent" ? [source, root, file] : [];
  return JSON.stringify([owner, sorted(rest)]);
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.entries(value)
    .map(([key, inner]) => [key, sorted(inner)])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
}

async function isWanted(handler: HookHandler, matchesIf: (rule: string) => boolean | Promise<boolean>) {
  if (handler.if === undefined) return true;
  try {
    return await matchesIf(handler.if);
  } catch {
    // A condition nobody could judge must not keep a guard from running.
    return true;
  }
}

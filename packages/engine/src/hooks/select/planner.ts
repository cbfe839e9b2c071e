// Selects the handlers that run for an event: those whose type, matcher and `if` apply, each once.

import type { HookEvent, HookHandler, HookRegistration } from "@keelson/protocol";
import { EVENT_FACTS, isToolEvent } from "../event-facts.ts";
import { matcherProblem, readMatcher, type Matcher } from "./matcher.ts";
import { hookTimeout } from "./timeout.ts";

/** `matchesIf` says whether one rule matches the call; it is only called for handlers with an `if`. */
export async function selectHooks(
  registrations: readonly HookRegistration[],
  event: HookEvent,
  subject: string | undefined,
  matchesIf: (rule: string) => boolean | Promise<boolean>,
): Promise<HookRegistration[]> {
  const found = registrations.filter((each) => each.event === event && matcherOf(each)(subject));
  const distinct = found.length > 1 ? withoutCopies(found) : found;
  if (distinct.every(({ handler }) => handler.if === undefined)) return distinct;
  const wanted = await Promise.all(distinct.map(({ handler }) => passesCondition(handler, matchesIf)));
  return distinct.filter((_, at) => wanted[at]);
}

/** Why a registered hook never runs, or not as written; undefined if nothing is wrong. For people. */
export function hookProblem(registration: HookRegistration): string | undefined {
  return whyNeverRuns(registration) ?? matcherProblem(registration.event, registration.matcher);
}

/**
 * Compiled matchers of registrations, which never change. Without it, 200 patterns would be compiled for every tool
 * call.
 */
const matchers = new WeakMap<HookRegistration, Matcher>();

function matcherOf(registration: HookRegistration): Matcher {
  const known = matchers.get(registration);
  if (known) return known;
  const isIdle = whyNeverRuns(registration) !== undefined;
  const made: Matcher = isIdle ? () => false : readMatcher(registration.event, registration.matcher);
  matchers.set(registration, made);
  return made;
}

function whyNeverRuns({ event, handler }: HookRegistration): string | undefined {
  const { mechanisms } = EVENT_FACTS[event];
  if (!mechanisms.includes(handler.type)) {
    const offered = mechanisms.filter((type) => type !== "callback").join(", ");
    return `${event} does not run hooks of type "${handler.type}"; use ${offered}`;
  }
  if (handler.if !== undefined && !isToolEvent(event))
    return `"if" needs a tool call, and ${event} has none; remove it`;
  return undefined;
}

/** Keeps one of each, in place of the first: the one with the most time. */
function withoutCopies(registrations: readonly HookRegistration[]): HookRegistration[] {
  const kept = new Map<string, HookRegistration>();
  for (const each of registrations) {
    const key = identity(each);
    const known = kept.get(key);
    if (!known || hookTimeout(each) > hookTimeout(known)) kept.set(key, each);
  }
  return [...kept.values()];
}

/**
 * The same handler in several files or groups runs once, also if one copy has another `timeout` or spells out a default.
 * Any other field must be equal: a copy with a different `onFailure` must not replace the one someone relies on. Handlers
 * from plugins, skills and agents are never merged.
 */
function identity({ handler, source, root, file }: HookRegistration): string {
  const { statusMessage: _, timeout: __, ...rest } = handler;
  const told = Object.fromEntries(Object.entries(rest).filter(([key, value]) => DEFAULTS[key] !== value));
  const owner = source === "pluginHook" || source === "skill" || source === "agent" ? [source, root, file] : [];
  return JSON.stringify([owner, sorted(told)]);
}

const DEFAULTS: Readonly<Record<string, unknown>> = { async: false, asyncRewake: false, once: false, shell: "bash" };

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.entries(value)
    .map(([key, inner]) => [key, sorted(inner)])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
}

async function passesCondition(handler: HookHandler, matchesIf: (rule: string) => boolean | Promise<boolean>) {
  if (handler.if === undefined) return true;
  try {
    return await matchesIf(handler.if);
  } catch {
    // A condition that cannot be judged must not keep a guard from running.
    return true;
  }
}

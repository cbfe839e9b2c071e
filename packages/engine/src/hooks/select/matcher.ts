// Whether a matcher matches a subject: it is a list of exact names, or a regular expression that may match anywhere. It
// cannot hang: matching is linear, and where that is impossible the handler runs as if the pattern matched.

import type { HookEvent } from "@keelson/protocol";
import { compileRegex, type Regex } from "../../pattern/regex.ts";
import { EVENT_FACTS } from "../event-facts.ts";

const LONGEST_MATCHER = 10_000;

export type Matcher = (subject: string | undefined) => boolean;

/** Compiles a matcher once for many subjects; reading a pattern costs far more than testing it. */
export function readMatcher(event: HookEvent, matcher: string | undefined): Matcher {
  if (isOpen(event, matcher)) return () => true;
  const holds = isExact(event, matcher) ? exactly(matcher) : somewhere(matcher);
  return (subject) => subject !== undefined && namesOf(event, subject).some(holds);
}

function exactly(matcher: string): (name: string) => boolean {
  const wanted = new Set(exactNames(matcher));
  return (name) => wanted.has(name);
}

function somewhere(matcher: string): (name: string) => boolean {
  const pattern = compile(matcher);
  if (pattern === undefined) return () => false;
  return (name) => pattern.test(name) ?? true;
}

/** What is wrong with a matcher, for people; undefined if it works as written. */
export function matcherProblem(event: HookEvent, matcher: string | undefined): string | undefined {
  if (isOpen(event, matcher) || isExact(event, matcher)) return undefined;
  const pattern = compile(matcher);
  if (pattern === undefined)
    return `The matcher ${quoted(matcher)} is not a valid regular expression, so it matches nothing`;
  if (pattern.isReadable) return undefined;
  return `The matcher ${quoted(matcher)} cannot be matched in bounded time, so the hook runs for every name. Write it without back references, modifiers and large counts`;
}

/** Matches everything: there is no matcher, or the event has nothing to match. */
function isOpen(event: HookEvent, matcher: string | undefined): matcher is undefined {
  return EVENT_FACTS[event].matchedOn === undefined || matcher === undefined || matcher === "" || matcher === "*";
}

/** File names and errors may contain spaces, commas and dashes, so those do not separate a list there. */
function isExact(event: HookEvent, matcher: string): boolean {
  return event === "FileChanged" || event === "StopFailure"
    ? /^[A-Za-z0-9_|]*$/.test(matcher)
    : /^[A-Za-z0-9_\- ,|]*$/.test(matcher);
}

function exactNames(matcher: string): string[] {
  return matcher
    .split(/[|,]/)
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** `Agent` used to be `Task`; a hook written for either name still guards the tool. */
function namesOf(event: HookEvent, subject: string): readonly string[] {
  if (EVENT_FACTS[event].matchedOn !== "tool_name") return [subject];
  if (subject === "Agent") return [subject, "Task"];
  return subject === "Task" ? [subject, "Agent"] : [subject];
}

function compile(matcher: string): Regex | undefined {
  return matcher.length > LONGEST_MATCHER ? UNREADABLE : compileRegex(matcher);
}

const UNREADABLE: Regex = { test: () => undefined, isReadable: false };

const quoted = (matcher: string) => JSON.stringify(matcher.length > 100 ? `${matcher.slice(0, 100)}…` : matcher);

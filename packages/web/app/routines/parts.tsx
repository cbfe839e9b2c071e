// What screens are made of: a head, what failed, states in words, more rows.

import type { ComponentChildren } from "preact";
import { showRow } from "../transcript/visible.ts";
import type { PagesReading, Reading } from "./live.ts";
import type { RunState, ShownRun } from "./wire.ts";

interface HeadProps {
  readonly title: string;
  /** Where the screen before is. */
  readonly back?: { readonly to: string; readonly name: string };
  readonly children?: ComponentChildren;
}

export function Head({ title, back, children }: HeadProps) {
  return (
    <header class="bar head">
      {back === undefined ? null : (
        <a class="back always" href={back.to} aria-label={back.name}>
          ‹
        </a>
      )}
      <h1 class="grow">{title}</h1>
      {children}
    </header>
  );
}

export function Unread({ of: { value, failure } }: { readonly of: Reading<unknown> }) {
  if (failure.value !== undefined)
    return (
      <p class="error" role="alert">
        {failure.value}
      </p>
    );
  return value.value === undefined ? <p class="empty">Loading</p> : null;
}

export function More({ of }: { readonly of: PagesReading<unknown> }) {
  return of.hasMore.value ? (
    <p class="buttons">
      <button onClick={of.more}>Older</button>
    </p>
  ) : null;
}

export const STATES: Readonly<Record<RunState, string>> = {
  queued: "waiting to start",
  running: "running",
  waiting: "needs an answer",
  succeeded: "succeeded",
  failed: "failed",
  cancelled: "cancelled",
  timed_out: "timed out",
  skipped: "skipped",
  missed: "missed",
  capped: "capped",
};

export const isOver = (state: RunState) => state !== "queued" && state !== "running" && state !== "waiting";

export function State({ state }: { readonly state: RunState }) {
  return (
    <span class={`state ${state}`}>
      <span class="dot" aria-hidden="true" />
      {STATES[state]}
    </span>
  );
}

export const CAUSES: Readonly<Record<ShownRun["cause"], string>> = {
  schedule: "schedule",
  manual: "by hand",
  http: "HTTP",
  github: "GitHub",
  retry: "again",
};

/** In a line below what it is about. */
export function Reason({ text }: { readonly text: string | null }) {
  return text === null || text === "" ? null : <span class="reason">{showRow(text)}</span>;
}

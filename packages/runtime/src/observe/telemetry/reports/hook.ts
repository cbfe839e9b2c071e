// A hook that ran: a span, in that of the call it is about.

import type { Fact } from "../../facts.ts";
import type { Reporter } from "../reporter.ts";
import { agentLabel } from "./agent-label.ts";

export function reportHook(
  { span }: Reporter,
  { firing, at }: Extract<Fact, { type: "hook" }>,
  callSpanId: string | undefined,
): void {
  const { label, event: hook_event, registration, run, input } = firing;
  const { agent_id: agent } = input;
  const attributes = {
    hook_event,
    hook_name: label,
    hook_type: registration.handler.type,
    hook_source: registration.source,
    duration_ms: Math.round(run.durationMs),
    outcome: run.outcome,
    ...agentLabel(typeof agent === "string" ? agent : undefined),
  };
  span("hook", { startMs: at - run.durationMs, endMs: at }, attributes, {
    ...(callSpanId === undefined ? {} : { parentSpanId: callSpanId }),
    error: run.outcome === "error" ? "The hook failed" : undefined,
  });
}

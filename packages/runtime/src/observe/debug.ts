// What a session writes to the debug log: names, sizes, verdicts and times, never the content of messages or files.
// Loaded only when debug logging is on.

import type { ModelEvent } from "@keelson/engine";
import { blocksOf, isToolResult, isToolUse, type NewEntry } from "@keelson/protocol";
import type { Firing } from "../hooks/run-handler.ts";
import type { Fact, RequestStart, Watcher } from "./facts.ts";

/** Calls `text` only if the category is being logged. */
export type Debug = (category: DebugCategory, text: () => string) => void;

export type DebugCategory =
  "api" | "config" | "hooks" | "instructions" | "lsp" | "mcp" | "permissions" | "session" | "telemetry" | "tools";

/** Logs requests, calls, verdicts and hooks as they happen. */
export function debugWatcher(debug: Debug): Watcher {
  const begun = new WeakSet<RequestStart>();
  return {
    see(fact) {
      switch (fact.type) {
        case "request_start": {
          const { model, messages, tools } = fact;
          return debug(
            "api",
            () => `Request to ${model}: messages: ${messages}, tools: ${tools}${byAgent(fact.agentId)}`,
          );
        }
        case "request_event":
          return logEvent(fact, begun, debug);
        case "request_end": {
          const { error } = fact;
          if (!error) return undefined;
          return debug("api", () => `Request failed after ${took(fact)}: ${error.kind}: ${error.message}`);
        }
        case "entries":
          for (const text of fact.entries.flatMap(entryTexts)) debug("tools", () => text() + byAgent(fact.agent?.id));
          return undefined;
        case "permission": {
          const { request, permission, ms } = fact;
          const { behavior, by } = permission;
          return debug(
            "permissions",
            () => `${request.tool.name} (${request.call.id}): ${behavior}, decided by ${by}, ${Math.round(ms)} ms`,
          );
        }
        case "hook":
          return debug("hooks", () => firingText(fact.firing));
        default:
          return undefined;
      }
    },
  };
}

const byAgent = (id: string | undefined) => (id === undefined ? "" : ` (agent ${id})`);

const took = ({ request, at }: { readonly request: RequestStart; readonly at: number }) =>
  `${Math.round(at - request.at)} ms`;

type RequestEvent = Extract<Fact, { type: "request_event" }>;

function logEvent(fact: RequestEvent, begun: WeakSet<RequestStart>, debug: Debug): void {
  const { request, event } = fact;
  if (!begun.has(request)) debug("api", () => `First event after ${took(fact)}`);
  begun.add(request);
  const text = eventText(event);
  if (text !== undefined) debug("api", () => `${text} (${took(fact)})`);
}

function eventText(event: ModelEvent): string | undefined {
  if (event.type === "message_delta") {
    const { input_tokens: input, output_tokens: output } = event.usage ?? {};
    const tokens = [input && `${input} tokens in`, output && `${output} tokens out`].filter(Boolean).join(", ");
    return `Reply ended: ${[event.delta.stop_reason ?? "no stop reason", tokens].filter(Boolean).join(", ")}`;
  }
  if (event.type !== "notice") return undefined;
  const { notice } = event;
  if (notice.type === "retry") {
    return `Retry ${notice.attempt} of ${notice.maxRetries} in ${notice.delayMs} ms: ${notice.status ?? notice.error}`;
  }
  if (notice.type === "fallback") return `Falling back from ${notice.from} to ${notice.to}`;
  return notice.type === "restart" ? "Reply starts over" : undefined;
}

function entryTexts(entry: NewEntry): (() => string)[] {
  if (entry.type !== "user" && entry.type !== "assistant") return [];
  return blocksOf(entry.message.content).flatMap((block) => {
    if (isToolUse(block)) return [() => `Call ${block.id}: ${block.name}`];
    if (!isToolResult(block)) return [];
    const size = () => JSON.stringify(block.content).length;
    return [() => `Result of ${block.tool_use_id}: ${block.is_error ? "error" : "ok"}, ${size()} characters`];
  });
}

/** Describes a hook run without its command, which may contain tokens. */
function firingText({ label, registration, run, reply }: Firing): string {
  const { handler, source, matcher } = registration;
  const facts = [
    `${handler.type} hook from ${source}${matcher === undefined ? "" : `, matcher ${matcher}`}`,
    run.outcome,
    ...(run.exitCode === undefined ? [] : [`exit ${run.exitCode}`]),
    ...(reply.verdict === undefined ? [] : [`says ${reply.verdict}`]),
    `${Math.round(run.durationMs)} ms`,
  ];
  return `${label}: ${facts.join(", ")}`;
}

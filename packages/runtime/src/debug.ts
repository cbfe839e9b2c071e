// What a session writes to the debug log: names, sizes, verdicts and times, never the content of messages or files.
// Loaded only when debug logging is on.

import type { ModelEvent, ModelProvider, Ports } from "@keelson/engine";
import { blocksOf, isToolResult, isToolUse, type NewEntry } from "@keelson/protocol";
import type { Firing } from "./hooks/run-handler.ts";

/** Calls `text` only if the category is being logged. */
export type Debug = (category: DebugCategory, text: () => string) => void;

export type DebugCategory =
  "api" | "config" | "hooks" | "instructions" | "lsp" | "mcp" | "permissions" | "session" | "tools";

/** Logs every request and its outcome. */
export function debugProvider(inner: ModelProvider, debug: Debug): ModelProvider {
  return {
    ...inner,
    async *stream(request, signal) {
      const started = performance.now();
      const took = () => `${Math.round(performance.now() - started)} ms`;
      const { model, messages, tools } = request;
      debug("api", () => `Request to ${model}: messages: ${messages.length}, tools: ${tools.length}`);
      let first = true;
      try {
        for await (const event of inner.stream(request, signal)) {
          if (first) debug("api", () => `First event after ${took()}`);
          first = false;
          const text = eventText(event);
          if (text !== undefined) debug("api", () => `${text} (${took()})`);
          yield event;
        }
      } catch (error) {
        const { kind, message } = error as { kind?: string; message: string };
        debug("api", () => `Request failed after ${took()}: ${kind ?? "error"}: ${message}`);
        throw error;
      }
    },
  };
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

/** Logs every tool call, the gate's decision and the outcome. */
export function debugPorts(ports: Ports, debug: Debug): Ports {
  return {
    ...ports,
    // It may change during the run.
    get model() {
      return ports.model;
    },
    record: (entries) => {
      for (const text of entries.flatMap(entryTexts)) debug("tools", text);
      return ports.record(entries);
    },
    permit: async (request, withdrawn) => {
      const started = performance.now();
      const permission = await ports.permit(request, withdrawn);
      const { behavior, by } = permission;
      const ms = Math.round(performance.now() - started);
      debug("permissions", () => `${request.tool.name} (${request.call.id}): ${behavior}, decided by ${by}, ${ms} ms`);
      return permission;
    },
  };
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
export function firingText({ label, registration, run, reply }: Firing): string {
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

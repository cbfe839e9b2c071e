// The one place where a session is watched: wraps its ports and its provider, and tells every watcher what happened.
// Loaded only if there is a watcher.

import { withCounted, type End, type ModelProvider, type Ports } from "@keelson/engine";
import { NO_USAGE, type Usage } from "@keelson/protocol";
import type { Firing } from "../hooks/run-handler.ts";
import type { Fact, OfAgent, RequestFailure, RequestStart, WatchedAgent, Watcher } from "./facts.ts";

export interface Observed {
  provider(inner: ModelProvider): ModelProvider;
  /** `agent` is the subagent whose ports they are. */
  ports(ports: Ports, agent?: WatchedAgent): Ports;
  /** The session's own agent begins or ends a run. */
  runStarts(): void;
  runEnded(end: End): void;
  hook(firing: Firing): void;
  close(): Promise<void>;
}

export interface ObservedOptions {
  /** Null if the price is unknown. */
  costOf(model: string, usage: Usage): number | null;
  now?(): number;
}

export function observe(watchers: readonly Watcher[], options: ObservedOptions): Observed {
  const { costOf, now = preciseNow } = options;
  const tell = (fact: Fact) => {
    for (const watcher of watchers) watcher.see(fact);
  };
  return {
    provider: (inner) => observedProvider(inner, { tell, now, costOf }),
    ports: (ports, agent) => observedPorts(ports, { tell, now, agent }),
    runStarts: () => tell({ type: "run_start", at: now() }),
    runEnded: (end) => tell({ type: "run_end", at: now(), end }),
    hook: (firing) => tell({ type: "hook", at: now(), firing }),
    close: async () => void (await Promise.allSettled(watchers.map((watcher) => watcher.close?.()))),
  };
}

const preciseNow = () => performance.timeOrigin + performance.now();

interface Teller {
  tell(fact: Fact): void;
  now(): number;
}

function observedProvider(inner: ModelProvider, { tell, now, costOf }: Teller & ObservedOptions): ModelProvider {
  return {
    ...inner,
    async *stream(request, signal) {
      const { messages, tools, agent: agentId } = request;
      const start: RequestStart = {
        type: "request_start",
        at: now!(),
        model: request.model,
        ...(agentId === undefined ? {} : { agentId }),
        messages: messages.length,
        tools: tools.length,
      };
      let firstAt: number | undefined;
      let [model, messageId] = [request.model, undefined as string | undefined];
      let usage: Usage = NO_USAGE;
      let stopReason: string | null = null;
      let retries = 0;
      /** A stream that its reader leaves is not over, but nothing more is known of it. */
      let error: RequestFailure | undefined = { kind: "aborted", message: "The reply was not read to its end" };
      tell(start);
      try {
        for await (const event of inner.stream(request, signal)) {
          const at = now!();
          if (event.type === "notice") retries += event.notice.type === "retry" ? 1 : 0;
          else firstAt ??= at;
          if (event.type === "message_start") {
            ({ model, id: messageId } = event.message);
            usage = { ...NO_USAGE, ...event.message.usage };
          } else if (event.type === "message_delta") {
            stopReason = event.delta.stop_reason ?? stopReason;
            usage = withCounted(usage, event.usage);
          }
          tell({ type: "request_event", request: start, at, event });
          yield event;
        }
        error = undefined;
      } catch (thrown) {
        const { kind = "error", status, message } = thrown as { kind?: string; status?: number; message: string };
        error = { kind, message, ...(status === undefined ? {} : { status }) };
        throw thrown;
      } finally {
        const facts = { model, messageId, usage, costUsd: costOf(model, usage), stopReason, retries, error };
        tell({ type: "request_end", request: start, at: now!(), firstAt, ...facts });
      }
    },
  };
}

function observedPorts(ports: Ports, { tell, now, agent }: Teller & OfAgent): Ports {
  // With its getters: the model may change during the run, and may not be known yet.
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(ports)) as Ports;
  const watched: Pick<Ports, "record" | "fire" | "permit"> = {
    record: (entries) => {
      tell({ type: "entries", at: now(), entries, agent });
      return ports.record(entries);
    },
    fire: (event, input) => {
      tell({ type: "event", at: now(), event, input, agent });
      return ports.fire(event, input);
    },
    permit: async (request, withdrawn) => {
      const started = now();
      const permission = await ports.permit(request, withdrawn);
      const at = now();
      tell({ type: "permission", at, request, permission, ms: at - started, agent });
      return permission;
    },
  };
  return Object.assign(copy, watched);
}

// Runs without a worker: the test itself writes what they say into the database of the server, as a worker would.

import { openSqliteStore, type RunStore } from "@keelson/routines";
import type { TemporaryHome } from "@keelson/testkit";
import { databaseIn } from "../serve/serving.ts";

export const openStore = (home: TemporaryHome): Promise<RunStore> =>
  openSqliteStore({ file: databaseIn(home), unseal: async (sealed) => sealed });

const LEASE_MS = 600_000;

export interface KeptRun {
  readonly id: string;
  say(...messages: readonly object[]): Promise<void>;
  ask(...requests: readonly object[]): Promise<void>;
  end(end: {
    readonly state: "succeeded" | "failed";
    readonly reason?: string;
    readonly summary?: string;
  }): Promise<void>;
}

/** Claims the run that has been due the longest. */
export async function claimRun(store: RunStore): Promise<KeptRun> {
  const claimed = await store.claim({ worker: "a-worker", leaseMs: LEASE_MS });
  if (claimed.run === undefined) throw new Error("No run is due");
  const { run, claim, entries } = claimed;
  const held = { runId: run.id, claim };
  let seq = entries;
  return {
    id: run.id,
    async say(...messages) {
      await store.append(
        held,
        messages.map((message) => ({ seq: ++seq, kind: "message" as const, line: JSON.stringify(message) })),
      );
    },
    async ask(...requests) {
      await store.ask(
        held,
        requests.map((request, at) => ({ id: `ask_${at}`, request: { ...request }, expiresInMs: LEASE_MS })),
      );
    },
    async end({ state, reason = null, summary }) {
      const outcome = summary === undefined ? null : { done: true, summary, links: ["javascript:window.canary()"] };
      await store.finish(held, { state, reason, outcome, result: summary ?? null });
    },
  };
}

let count = 0;

export const words = (text: string) => answer({ type: "text", text });

export const answer = (block: object) => ({
  type: "assistant",
  message: {
    id: `m${++count}`,
    type: "message",
    role: "assistant",
    model: "m",
    content: [block],
    stop_reason: null,
    usage: {},
  },
  parent_tool_use_id: null,
  session_id: "s",
  uuid: `u${count}`,
});

export const result = (id: string, text: string) => ({
  type: "user",
  message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: text }] },
  parent_tool_use_id: null,
  session_id: "s",
  uuid: `u${++count}`,
});

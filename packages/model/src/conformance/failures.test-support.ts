// What goes wrong: refusals of every kind, errors in the middle of a stream, connections that break.

import { expect } from "bun:test";
import type { ModelEvent } from "@keelson/engine";
import type { DialectFailure } from "@keelson/testkit";
import { withRetry } from "../wrappers/retry.ts";
import { dialectTest, requestTo } from "./replies.test-support.ts";
import { collect, SECRET, type DialectUnderTest } from "./support.test-support.ts";

const KINDS: readonly DialectFailure["failure"][] = [
  "authentication_failed",
  "rate_limit",
  "billing_error",
  "overloaded",
  "server_error",
  "model_not_found",
  "prompt_too_long",
  "timeout",
  "invalid_request",
];

const two = { blocks: [{ text: "finished" }, { call: { name: "Read", input: { path: "a" } } }] };
const typesOf = (events: readonly ModelEvent[]) => events.map(({ type }) => type);

export function failureCases(dialect: DialectUnderTest): void {
  const lacks = new Set<string>([
    ...(dialect.lacks?.includes("billing errors") ? ["billing_error"] : []),
    ...(dialect.lacks?.includes("timeouts") ? ["timeout"] : []),
  ]);
  for (const failure of KINDS.filter((kind) => !lacks.has(kind))) {
    dialectTest(dialect, `a refusal is of the kind ${failure}`, [{ failure }, { failure }], async ({ provider }) => {
      for (const how of ["stream", "plain"] as const) {
        const { error, events } = await collect(provider, requestTo(dialect), { how });
        expect(error?.kind).toBe(failure);
        expect(error?.message).not.toBe("");
        expect(typesOf(events)).toEqual([]);
      }
    });
  }

  dialectTest(
    dialect,
    "the wait that the server asks for is respected",
    [{ failure: "rate_limit", retryAfterSeconds: 7 }],
    async ({ provider }) => {
      expect((await collect(provider, requestTo(dialect))).error).toMatchObject({
        kind: "rate_limit",
        retryAfterMs: 7_000,
      });
    },
  );

  const message = `Your key ${SECRET} is wrong`;
  dialectTest(
    dialect,
    "no error quotes the key",
    [
      { failure: "authentication_failed", message },
      { failure: "invalid_request", message },
      { ...two, fails: { failure: "server_error", message, after: "in_block" } },
    ],
    async ({ provider }) => {
      for (let attempt = 0; attempt < 3; attempt++) {
        const { error } = await collect(provider, requestTo(dialect));
        expect(error?.message).toContain("Your key");
        expect(error?.message).not.toContain(SECRET);
      }
    },
  );

  dialectTest(
    dialect,
    "an error in the middle of a stream is an error",
    [{ ...two, fails: { failure: "overloaded", after: "in_block" } }],
    async ({ provider }) => {
      const { error, blocks } = await collect(provider, requestTo(dialect));
      expect(["overloaded", "server_error"]).toContain(error?.kind ?? "none");
      expect(blocks).toEqual([]);
    },
  );

  dialectTest(
    dialect,
    "a connection that breaks inside the first block is asked again",
    [{ ...two, cut: "in_block" }, { ...two, cut: "in_block" }, two],
    async ({ provider }) => {
      const { error, blocks } = await collect(provider, requestTo(dialect));
      expect({ kind: error?.kind, blocks }).toEqual({ kind: "stream_cut", blocks: [] });
      const retried = withRetry(provider, { wait: async () => {} });
      const events = await Array.fromAsync(retried.stream(requestTo(dialect), new AbortController().signal));
      expect(typesOf(events).filter((type) => type === "message_stop")).toHaveLength(1);
      expect(events).toContainEqual({ type: "notice", notice: { type: "restart" } });
    },
  );

  dialectTest(
    dialect,
    "a connection that breaks after the first block leaves it finished",
    [{ ...two, cut: "after_block" }],
    async ({ provider }) => {
      const { error, blocks } = await collect(provider, requestTo(dialect));
      expect(error?.kind).toBe("stream_cut");
      // Where calls arrive whole, the second block may be there too.
      expect(blocks[0]).toEqual({ type: "text", text: "finished" });
    },
  );

  dialectTest(dialect, "an aborted request is an aborted request", [two], async ({ provider }) => {
    const { error } = await collect(provider, requestTo(dialect), { signal: AbortSignal.abort() });
    expect(error?.kind).toBe("aborted");
  });
}

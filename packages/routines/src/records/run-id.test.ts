import { expect, test } from "bun:test";
import { runIdOf, sessionIdOf, type RunCause } from "./run-id.ts";

test("the same cause gives the same id, and another cause another", () => {
  const causes: readonly RunCause[] = [
    { kind: "schedule", triggerId: "a", slotAt: 1 },
    { kind: "schedule", triggerId: "a", slotAt: 11 },
    { kind: "schedule", triggerId: "a1", slotAt: 1 },
    { kind: "http", triggerId: "a", key: "1" },
    { kind: "github", triggerId: "a", key: "1" },
    { kind: "manual", routineId: "a", key: "1" },
    { kind: "retry", runId: "a", key: "1" },
    { kind: "http", triggerId: 'a","1', key: "" },
  ];
  const ids = causes.map(runIdOf);
  expect(new Set(ids).size).toBe(causes.length);
  expect(causes.map(runIdOf)).toEqual(ids);
  for (const id of ids) expect(id).toMatch(/^run_[0-9a-f]{32}$/);
});

test("without a key, each call is a cause of its own", () => {
  const call = { kind: "manual", routineId: "a", key: undefined } as const;
  expect(runIdOf(call)).not.toBe(runIdOf(call));
});

test("sessionIdOf() is a UUID, and always the same", () => {
  expect(sessionIdOf("run_1")).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(sessionIdOf("run_1")).toBe(sessionIdOf("run_1"));
  expect(sessionIdOf("run_1")).not.toBe(sessionIdOf("run_2"));
});

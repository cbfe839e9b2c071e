import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChainEntry } from "@keelson/protocol";
import { boundary, prompt, sampleEntry, says, SESSION, summary } from "../samples.test-support.ts";
import { openHistory } from "./history.ts";

const dir = mkdtempSync(join(tmpdir(), "keelson-history-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function historyOf(...lines: readonly (object | string)[]) {
  const path = join(dir, `${crypto.randomUUID()}.jsonl`);
  writeFileSync(path, lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""));
  return openHistory(path);
}

const idsOf = (history: ReturnType<typeof openHistory>) => [...history.entries()].map(({ uuid }) => uuid).join(" ");

const compacted = (uuid: string, logicalParentUuid: string, metadata: object = {}) =>
  ({ ...boundary(uuid, metadata), logicalParentUuid }) as ChainEntry;

test("what compactions summarized is part of the history, also if the next prompt continues a kept message", () => {
  const old = [prompt("u1", null), says("a1", "u1"), prompt("u2", "a1"), says("a2", "u2")];
  const first = [...old, compacted("b", "a2"), summary("s", "b"), sampleEntry("n", "s"), prompt("u3", "n")];
  expect(idsOf(historyOf(...first))).toBe("u1 a1 u2 a2 b s n u3");
  const second = [...first, says("a3", "u3"), compacted("c", "a3"), summary("t", "c"), prompt("u4", "t")];
  expect(idsOf(historyOf(...second))).toBe("u1 a1 u2 a2 b s n u3 a3 c t u4");

  const kept = { preservedMessages: { anchorUuid: "s", uuids: ["u2", "a2"] } };
  expect(idsOf(historyOf(...old, compacted("b", "a2", kept), summary("s", "b"), prompt("u3", "a2")))).toBe(
    "u1 a1 u2 a2 b s u3",
  );
  // Without the id of what it summarized.
  expect(idsOf(historyOf(...old, boundary("b"), summary("s", "b"), prompt("u3", "s")))).toBe("u1 a1 u2 a2 b s u3");
});

test("a branch that the conversation went back from is counted, not shown; a compaction undone that way, too", () => {
  const lines = [prompt("u1", null), says("a1", "u1"), prompt("u2", "a1"), says("a2", "u2")];
  const undone = [...lines, compacted("b", "a2"), summary("s", "b"), prompt("u3", "a1")];
  const history = historyOf(...undone);
  expect({ ids: idsOf(history), leftOut: history.leftOut, damaged: history.damaged }).toEqual({
    ids: "u1 a1 u3",
    leftOut: 4,
    damaged: 0,
  });
});

test("damaged lines are counted, and what can be read around them is", () => {
  const whole = JSON.stringify(says("a1", "u1"));
  const half = JSON.stringify(prompt("u2", "a1")).slice(0, 60);
  const history = historyOf(
    prompt("u1", null),
    whole,
    "not JSON",
    "\u0000\u0000",
    half + JSON.stringify(says("a2", "a1")),
    { ...prompt("u3", "a2"), message: { role: "user", content: 7 } },
    { type: "something-new", sessionId: SESSION },
    { ...prompt("p", "a2"), type: "progress" },
    prompt("u4", "u3"),
  );
  expect({ ids: idsOf(history), damaged: history.damaged }).toEqual({ ids: "u1 a1 a2 u4", damaged: 4 });
});

test("the facts of a session come from its entries", () => {
  const history = historyOf(
    { type: "custom-title", customTitle: "First", sessionId: SESSION },
    prompt("u1", null),
    { ...says("a1", "u1"), timestamp: "2026-11-15T07:00:00.000Z" },
    { type: "cost-state", sessionId: SESSION, totalCostUSD: 0.5 },
    { type: "custom-title", customTitle: "Second", sessionId: SESSION },
  );
  const { entries: _, ...facts } = history;
  expect(facts).toEqual({
    title: "Second",
    cwd: "/home/u/p",
    gitBranch: "master",
    version: "2.1.325",
    firstAt: "2026-11-15T06:57:32.416Z",
    lastAt: "2026-11-15T07:00:00.000Z",
    models: ["m"],
    costUsd: 0.5,
    damaged: 0,
    leftOut: 0,
  });
});

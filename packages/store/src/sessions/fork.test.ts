import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Entry } from "@keelson/protocol";
import { forkTranscript } from "./fork.ts";
import { lineOf } from "../transcript/line.ts";
import { readEntries } from "../read/read-transcript.ts";
import { loadSession } from "./resume.ts";
import { answers, calls, prompt, says, SESSION } from "../samples.test-support.ts";

const dir = mkdtempSync(join(tmpdir(), "keelson-fork-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const NEW = "22222222-2222-4222-8222-222222222222";
const from = join(dir, "from.jsonl");
const cost = {
  type: "cost-state",
  sessionId: SESSION,
  totalCostUSD: 0.5,
  totalAPIDuration: 1,
  totalDuration: 2,
  modelUsage: {},
  hasUnknownModelCost: false,
} as const;
const write = (...lines: (Entry | string)[]) =>
  writeFileSync(from, lines.map((line) => (typeof line === "string" ? line : lineOf(line)) + "\n").join(""));

test("forkTranscript() copies the conversation under a new id and does not change the source", () => {
  const nested = answers("r", "c", "out", { stdout: "out", child: { sessionId: SESSION } });
  write(
    prompt("u", null),
    { type: "custom-title", customTitle: "Name", sessionId: SESSION },
    calls("c", "u", "m"),
    nested,
    prompt("dead", "u"),
    says("a", "r", "ü"),
    cost,
  );
  const source = readFileSync(from);
  const to = join(dir, "new", "to.jsonl");
  expect(forkTranscript({ from, to, sessionId: NEW })).toBe(4);

  expect(readFileSync(from)).toEqual(source);
  expect((statSync(to).mode & 0o777).toString(8)).toBe("600");
  expect([...readEntries(to)]).toEqual(
    [
      prompt("u", null),
      calls("c", "u", "m"),
      nested,
      says("a", "r", "ü"),
      { type: "custom-title", customTitle: "Name", sessionId: SESSION } as const,
      cost,
    ].map((entry) => ({ ...entry, sessionId: NEW })),
  );
  expect(loadSession({ path: to })).toMatchObject({ leafUuid: "a", title: "Name", costState: { totalCostUSD: 0.5 } });
});

test("a fork of a damaged transcript is complete", () => {
  const torn = lineOf(says("a", "u")).slice(0, 90);
  write(prompt("u", null), `${torn}${lineOf(prompt("v", "a"))}`, says("b", "v"));
  const to = join(dir, "mended.jsonl");
  expect(forkTranscript({ from, to, sessionId: NEW })).toBe(3);
  expect([...readEntries(to)]).toEqual(
    [prompt("u", null), prompt("v", "u", "v"), says("b", "v")].map((entry) => ({ ...entry, sessionId: NEW })),
  );
});

test("forkTranscript() never overwrites a file, and leaves none behind if it fails", () => {
  write(prompt("u", null));
  const taken = join(dir, "taken.jsonl");
  writeFileSync(taken, "mine");
  expect(() => forkTranscript({ from, to: taken, sessionId: NEW })).toThrow("EEXIST");
  expect(readFileSync(taken, "utf8")).toBe("mine");
  const to = join(dir, "none.jsonl");
  expect(() => forkTranscript({ from, to, sessionId: NEW, at: "nowhere" })).toThrow('has no entry "nowhere"');
  expect(existsSync(to)).toBe(false);
});

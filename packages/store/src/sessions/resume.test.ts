import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { isChainEntry, jsonOf, type ChainEntry, type Entry } from "@keelson/protocol";
import { scheduled, unscheduled } from "../transcript/metadata.ts";
import { lineOf } from "../transcript/line.ts";
import { readEntries } from "../read/read-transcript.ts";
import { loadSession } from "./resume.ts";
import { openTranscript } from "../transcript/writer.ts";
import { answers, boundary, calls, sampleEntry, prompt, says, SESSION, summary } from "../samples.test-support.ts";

const dir = mkdtempSync(join(tmpdir(), "keelson-resume-"));
const path = join(dir, "s.jsonl");
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const write = (...lines: (Entry | string)[]) =>
  writeFileSync(path, lines.map((line) => (typeof line === "string" ? line : lineOf(line)) + "\n").join(""));
/** As a session writes them, with proofs. */
const record = (...lines: (Entry | string)[]) => {
  rmSync(path, { force: true });
  const writer = openTranscript({ path, configDir: dir });
  writer.append(lines);
  writer.close();
};
const uuids = () => loadSession({ path })!.entries.map((entry) => entry.uuid);

const cost = {
  type: "cost-state",
  sessionId: SESSION,
  totalCostUSD: 0.5,
  totalAPIDuration: 1,
  totalDuration: 2,
  modelUsage: {},
  hasUnknownModelCost: false,
} as const;

test("loadSession() loads the conversation, its tip and the metadata", () => {
  write(
    { type: "queue-operation", operation: "enqueue", timestamp: "t", sessionId: SESSION, content: "hi" },
    { type: "custom-title", customTitle: "old", sessionId: SESSION },
    prompt("u1", null, "hi"),
    '{"type":"from-the-future","uuid":7}',
    calls("c1", "u1", "m1"),
    { ...cost, totalCostUSD: 0.1 },
    answers("r1", "c1", "out", { stdout: "out" }),
    { type: "custom-title", customTitle: "new", sessionId: SESSION },
    { type: "last-prompt", lastPrompt: "hi", leafUuid: "r1", sessionId: SESSION },
    cost,
    says("a1", "r1"),
    sampleEntry("n1", "a1"),
  );
  const { toolUseResult: _, ...result } = answers("r1", "c1", "out") as ChainEntry & { type: "user" };
  expect(loadSession({ path })).toEqual({
    entries: [prompt("u1", null, "hi"), calls("c1", "u1", "m1"), result, says("a1", "r1"), sampleEntry("n1", "a1")],
    leafUuid: "n1",
    costState: cost,
    mode: { isProven: false },
    title: "new",
    lastPrompt: "hi",
    agent: undefined,
    worktree: undefined,
    cwd: "/home/u/p",
    sticky: [{ type: "custom-title", customTitle: "new", sessionId: SESSION }],
    schedules: [],
    unprovenJobs: 0,
    damaged: 0,
    folders: ["/home/u/p"],
  });
});

test("jobs that were cancelled or are over are not loaded, also not from before a compaction", () => {
  const job = (id: string) => ({ id, cron: "0 9 * * *", prompt: id, createdAt: 7, recurring: true });
  record(
    scheduled(SESSION, job("00000001")),
    prompt("u1", null),
    scheduled(SESSION, job("00000002")),
    scheduled(SESSION, job("00000003")),
    boundary("b"),
    summary("s", "b"),
    unscheduled(SESSION, "00000001"),
    '{"type":"keelson-schedule","id":"00000004","job":{"id":"00000004","cron":7}}',
    { type: "keelson-schedule", id: "00000003", job: { ...job("00000003"), prompt: "again" }, sessionId: SESSION },
  );
  expect(loadSession({ path, configDir: dir })!.schedules).toEqual([
    job("00000002"),
    { ...job("00000003"), prompt: "again" },
  ]);
});

test("a wake-up is loaded if it is the last one and pending", () => {
  const wakeup = (id: string) => ({ id, at: 7, prompt: id, reason: "", toolUseId: "call" });
  const note = (id: string) => ({ type: "keelson-schedule" as const, id, wakeup: wakeup(id), sessionId: SESSION });
  record(prompt("u1", null), note("w1"), unscheduled(SESSION, "w1"), note("w2"), unscheduled(SESSION, "00000001"));
  expect(loadSession({ path, configDir: dir })!.wakeup).toEqual(wakeup("w2"));
  record(prompt("u1", null), note("w2"), unscheduled(SESSION, "w2"));
  expect(loadSession({ path, configDir: dir })!.wakeup).toBeUndefined();
  record(prompt("u1", null), '{"type":"keelson-schedule","id":"w3","wakeup":{"id":"w3","at":"soon"}}');
  expect(loadSession({ path, configDir: dir })!.wakeup).toBeUndefined();
});

test("loadSession() resumes at an entry, even one before a compaction", () => {
  write(prompt("u1", null), says("a1", "u1", "y".repeat(9_000)), boundary("b"), summary("s", "b"), prompt("u2", "s"));
  expect(uuids()).toEqual(["b", "s", "u2"]);
  expect(loadSession({ path, at: "a1" })!.entries).toEqual([prompt("u1", null), says("a1", "u1", "y".repeat(9_000))]);
  expect(loadSession({ path, at: "nowhere" })).toBeUndefined();
});

test("entries that moved get parents that come before them", () => {
  const kept = { preservedMessages: { anchorUuid: "s", uuids: ["u2"] } };
  write(prompt("u1", null), prompt("u2", "u1"), boundary("b", kept), summary("s", "b"), prompt("u3", "u2"));
  expect(loadSession({ path })!.entries.map((entry) => [entry.uuid, entry.parentUuid])).toEqual([
    ["b", null],
    ["s", "b"],
    ["u2", "s"],
    ["u3", "u2"],
  ]);
});

test("a file without messages is an empty conversation, and a missing file is an error", () => {
  write({ type: "custom-title", customTitle: "t", sessionId: SESSION });
  expect(loadSession({ path })).toMatchObject({ entries: [], leafUuid: null });
  expect(() => loadSession({ path: join(dir, "none.jsonl") })).toThrow("ENOENT");
});

test("invalid bytes lose only their own line", () => {
  const [u1, a1, u2] = [prompt("u1", null), says("a1", "u1"), prompt("u2", "a1")].map(lineOf);
  writeFileSync(path, `\uFEFF${u1}\r\n\0\0\0${a1}\n\n[1]\nnull\n"text"\n{"type":5}\n${"[".repeat(100_000)}\n${u2}`);
  expect(uuids()).toEqual(["u1", "a1", "u2"]);
  writeFileSync(path, Buffer.concat([Buffer.from(`${u1}\n`), Buffer.from([0xff, 0xfe, 10]), Buffer.from(u2!)]));
  expect(uuids()).toEqual(["u1", "u2"]);
});

test("unusable entries are skipped", () => {
  const broken = JSON.parse(lineOf(says("a1", "u1"))) as Record<string, unknown>;
  write(prompt("u1", null), JSON.stringify({ ...broken, message: { content: [null, 3] } }), prompt("u2", "a1"));
  expect(uuids()).toEqual(["u1", "u2"]);
  write(prompt("u1", null), JSON.stringify({ ...broken, type: "progress" }), prompt("u2", "a1"));
  expect(uuids()).toEqual(["u1", "u2"]);
});

const conversation = (turns: number): ChainEntry[] => {
  const entries: ChainEntry[] = [prompt("u", null)];
  for (let turn = 0; turn < turns; turn++) {
    const [one, two] = [`c${turn}a`, `c${turn}b`];
    const text = `turn ${turn} ü ${"z".repeat((turn * 977) % 6_000)}`;
    entries.push(
      says(`a${turn}`, entries.at(-1)!.uuid, text, `m${turn}`),
      calls(one, `a${turn}`, `m${turn}`),
      calls(two, one, `m${turn}`),
      answers(`r${turn}a`, one, text),
      answers(`r${turn}b`, two, text),
    );
  }
  return entries;
};

type Damage =
  | { readonly kind: "flip"; readonly at: number; readonly bit: number }
  | { readonly kind: "cut"; readonly at: number; readonly length: number }
  | { readonly kind: "repeat"; readonly line: number }
  | { readonly kind: "zero"; readonly at: number; readonly length: number };

const position = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const damage: fc.Arbitrary<Damage> = fc.oneof(
  fc.record({ kind: fc.constant("flip" as const), at: position, bit: fc.nat(7) }),
  fc.record({ kind: fc.constant("cut" as const), at: position, length: fc.nat(3_000) }),
  fc.record({ kind: fc.constant("repeat" as const), line: position }),
  fc.record({ kind: fc.constant("zero" as const), at: position, length: fc.nat(3_000) }),
);

function damaged(lines: readonly Buffer[], { ...how }: Damage): Buffer[] {
  if (how.kind === "repeat") {
    const line = lines[Math.floor(how.line * lines.length)]!;
    return [...lines, line];
  }
  const bytes = Buffer.concat(lines);
  const at = Math.floor(how.at * bytes.length);
  if (how.kind === "flip") bytes[at]! ^= 1 << how.bit;
  if (how.kind === "zero") bytes.fill(0, at, Math.min(bytes.length, at + how.length));
  return how.kind === "cut" ? [bytes.subarray(0, at), bytes.subarray(at + how.length)] : [bytes];
}

test("whatever happens to a file, undamaged lines are read and the chain stays valid", () => {
  const entries = conversation(6);
  const whole = entries.map((entry) => Buffer.from(`${lineOf(entry)}\n`));
  fc.assert(
    fc.property(fc.array(damage, { maxLength: 3 }), (all) => {
      const bytes = Buffer.concat(all.reduce<Buffer[]>(damaged, whole));
      writeFileSync(path, bytes);
      const text = bytes.toString("latin1");
      const intact = entries.filter((_, index) => `\n${text}`.includes(`\n${whole[index]!.toString("latin1")}`));

      const read = new Set([...readEntries(path)].filter(isChainEntry).map((entry) => entry.uuid));
      for (const entry of intact) expect(read).toContain(entry.uuid);

      const seen = new Set<string>();
      for (const entry of loadSession({ path })!.entries) {
        if (entry.parentUuid !== null && !seen.has(entry.parentUuid)) throw new Error(`${entry.uuid} hangs in the air`);
        if (entry.parentUuid === null && seen.size > 0) throw new Error("two roots");
        seen.add(entry.uuid);
        const content = (entry as ChainEntry & { type: "user" }).message.content;
        for (const block of typeof content === "string" ? [] : content) JSON.parse(jsonOf(block));
      }
    }),
    { numRuns: 300 },
  );
});

test("any one lost line leaves every other line of the conversation visible", () => {
  const entries = conversation(4);
  for (const spoil of [
    () => "",
    (line: string) => line.slice(0, line.length / 2),
    (line: string) => line.replace('"content":', '"content'),
  ]) {
    for (let lost = 0; lost < entries.length; lost++) {
      write(...entries.map((entry, index) => (index === lost ? spoil(lineOf(entry)) : entry)));
      const visible = new Set(uuids());
      const missing = entries.filter((entry, index) => index !== lost && !visible.has(entry.uuid));
      // A result without its call cannot be sent to the model.
      const expected = /^c.*a$/.test(entries[lost]!.uuid) ? [entries[lost]!.uuid.replace("c", "r")] : [];
      expect(missing.map((entry) => entry.uuid)).toEqual(expected);
    }
  }
});

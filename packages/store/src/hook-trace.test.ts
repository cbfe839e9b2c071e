import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { HookRegistration, HookRun } from "@keelson/protocol";
import { hookTracePath, openHookTrace, readHookTrace } from "./hook-trace.ts";

const SESSION = "00000000-0000-4000-8000-000000000001";
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "keelson-trace-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const registration: HookRegistration = {
  event: "PreToolUse",
  matcher: "Bash",
  handler: { type: "command", command: "./guard.sh" },
  source: "projectSettings",
  file: "/p/.claude/settings.json",
};
const run: HookRun = { outcome: "success", exitCode: 2, stdout: "", stderr: "no", durationMs: 12 };
const told = {
  label: "PreToolUse:Bash",
  name: "./guard.sh",
  registration,
  input: { tool_name: "Bash" },
  run,
  reply: { verdict: "deny", context: [] },
};
const open = (more: { maxBytes?: number; onFailure?: (error: Error) => void } = {}) =>
  openHookTrace(dir, SESSION, { now: () => 0, ...more });

test("a hook run is read back unchanged from a private file", () => {
  const trace = open();
  trace.add(told);
  trace.close();

  expect([...readHookTrace(trace.path)]).toEqual([
    {
      at: "1970-01-01T00:00:00.000Z",
      event: "PreToolUse",
      label: "PreToolUse:Bash",
      name: "./guard.sh",
      type: "command",
      source: "projectSettings",
      file: "/p/.claude/settings.json",
      matcher: "Bash",
      input: { tool_name: "Bash" },
      run,
      reply: { verdict: "deny", context: [] },
    },
  ]);
  expect(trace.path).toBe(join(dir, SESSION, "hooks.jsonl"));
  expect([trace.path, dirname(trace.path)].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o700]);
});

test("without a hook run, there is no file", () => {
  open().close();
  expect(() => [...readHookTrace(hookTracePath(dir, SESSION))]).toThrow("ENOENT");
});

test("an incomplete line is closed by the next writer and skipped by readers", () => {
  const first = open();
  first.add(told);
  first.close();
  appendFileSync(first.path, '{"at":"1970-01-01T00:00:00.000Z","event":"Pre');
  const second = open();
  second.add({ ...told, name: "later" });
  second.close();
  appendFileSync(first.path, 'null\n{"at":"x"}\n[]\n');
  expect([...readHookTrace(first.path)].map(({ name }) => name)).toEqual(["./guard.sh", "later"]);
});

test("long strings are cut at any depth, and a line stays a line", () => {
  const long = "x".repeat(10_001);
  const trace = open();
  trace.add({ ...told, input: { a: [{ b: long }] }, run: { ...run, stdout: `${long}\n` } });
  const many = Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`k${at}`, long]));
  trace.add({ ...told, name: "huge", input: many });
  trace.close();

  const [first, second] = [...readHookTrace(trace.path)];
  const cut = `${"x".repeat(10_000)}… [1 more characters]`;
  expect(first!.input).toEqual({ a: [{ b: cut }] });
  expect(first!.run.stdout).toBe(`${"x".repeat(10_000)}… [2 more characters]`);
  expect(second!).toMatchObject({ name: "huge", input: expect.stringMatching(/^\[left out: \d+ characters\]$/), run });
});

test("a full file ends with one line that says so, even with later writers", () => {
  for (let round = 0; round < 3; round++) {
    const trace = open({ maxBytes: 2_000 });
    for (let at = 0; at < 20; at++) trace.add(told);
    trace.close();
  }
  const lines = readFileSync(hookTracePath(dir, SESSION), "utf8").trimEnd().split("\n");
  expect(lines.at(-1)).toBe('{"at":"1970-01-01T00:00:00.000Z","full":"The log is limited to 2000 bytes"}');
  expect(lines.filter((line) => line.includes('"full"'))).toHaveLength(1);
  expect([...readHookTrace(hookTracePath(dir, SESSION))]).toHaveLength(lines.length - 1);
  expect(statSync(hookTracePath(dir, SESSION)).size).toBeLessThanOrEqual(2_000);
});

test.each([
  ["a file where the folder should be", () => writeFileSync(join(dir, SESSION), "")],
  [
    "a link where the file should be",
    () => {
      mkdirSync(join(dir, SESSION));
      writeFileSync(join(dir, "elsewhere"), "");
      symlinkSync(join(dir, "elsewhere"), hookTracePath(dir, SESSION));
    },
  ],
])("%s is reported once, and nothing is thrown", (_, spoil) => {
  spoil();
  const failures: Error[] = [];
  const trace = open({ onFailure: (error) => void failures.push(error) });
  trace.add(told);
  trace.add(told);
  trace.close();
  expect(failures).toHaveLength(1);
});

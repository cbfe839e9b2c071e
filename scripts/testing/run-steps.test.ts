import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../root.ts";
import { runSteps, type Step, type StepOptions } from "./run-steps.ts";

const bun = process.execPath;
const folder = mkdtempSync(join(tmpdir(), "keelson-steps-"));
afterAll(() => rmSync(folder, { recursive: true }));

const check = (name: string, code: string): Step => ({ name, command: [bun, "-e", code], limit: 60 });

function tests(name: string, source: string): Step {
  const file = join(folder, `${name}.test.ts`);
  writeFileSync(file, `import { expect, test } from "bun:test";\n${source}`);
  return { name, command: [bun, "test", "--timeout=600000", file], limit: 60, reportsTests: true };
}

async function printed(steps: readonly Step[], options: Partial<StepOptions> = {}) {
  const lines: string[] = [];
  const code = await runSteps(steps, {
    print: (text) => lines.push(...text.split("\n")),
    slowness: 1,
    wait: () => new Promise(() => {}),
    isCI: false,
    ...options,
  });
  return { code, lines: lines.map((line) => line.replace(/\d+\.\d+ s/, "N s")).filter((line) => line !== "") };
}

test("steps that pass are one line each, and the last line has the totals", async () => {
  const { code, lines } = await printed([
    check("types", "console.log('not shown')"),
    tests("passing", `test("a", () => {}); test("b", () => {}); test.skip("c [zsh is not installed]", () => {});`),
  ]);
  expect(lines).toEqual([
    "== types",
    "   ok in N s",
    "== passing",
    "   ok in N s",
    "1 skipped:",
    expect.stringMatching(/passing\.test\.ts: c \[zsh is not installed\]$/),
    "3 passed, 0 failed",
  ]);
  expect(code).toBe(0);
});

test("a failing step shows its output, does not stop the others, and fails the run", async () => {
  const { code, lines } = await printed([
    check("lint", "console.log('bad style'); process.exit(1)"),
    check("types", ""),
  ]);
  expect(lines).toEqual(["== lint", "bad style", "   FAILED in N s", "== types", "   ok in N s", "1 passed, 1 failed"]);
  expect(code).toBe(1);
});

test("a step that reaches its limit is stopped, and what it reported until then counts", async () => {
  const begun = join(folder, "begun");
  const hangs = tests(
    "hangs",
    `import { writeFileSync } from "node:fs";
     test("passes", () => {});
     test("fails", () => expect(1).toBe(2));
     test("hangs", async () => { writeFileSync(${JSON.stringify(begun)}, ""); await new Promise(() => {}); });`,
  );
  const limits: number[] = [];
  const { code, lines } = await printed([{ ...hangs, limit: 0.5 }, check("types", "")], {
    slowness: 3,
    async wait(seconds) {
      limits.push(seconds);
      while (!existsSync(begun)) await Bun.sleep(5);
      if (seconds > 2) await new Promise(() => {});
    },
  });
  expect(limits).toEqual([2, 180]);
  expect(lines).toContain("   stopped: the limit is 2 s");
  expect(lines.some((line) => line.startsWith("(fail) fails"))).toBe(true);
  expect(lines.some((line) => line.startsWith("(pass)"))).toBe(false);
  expect(lines.slice(-4)).toEqual([
    "== types",
    "   ok in N s",
    '"hangs" was stopped after N s, before it was finished',
    "2 passed, 2 failed",
  ]);
  expect(code).toBe(1);
});

test("a tool that is not installed is a skip with a reason, and in CI a failure", async () => {
  const missing = join(root, "node_modules/.bin/no-such-tool");
  const step = { name: "lint", command: [missing], limit: 60 };
  const reason = `"${missing}" is not installed; run \`npm ci\``;
  expect(await printed([step])).toEqual({
    code: 0,
    lines: ["== lint", "   skipped in N s", "1 skipped:", `  lint [${reason}]`, "0 passed, 0 failed"],
  });
  expect(await printed([step], { isCI: true })).toEqual({
    code: 1,
    lines: ["== lint", `   ${reason}`, "   FAILED in N s", "0 passed, 1 failed"],
  });
});

test("a test that fails once is run again with its file alone, and named; one that fails twice has failed", async () => {
  const met = join(folder, "met");
  const step = tests(
    "unsteady",
    `import { existsSync, writeFileSync } from "node:fs";
     test("steady", () => {});
     test("first time", () => {
       const isSecond = existsSync(${JSON.stringify(met)});
       writeFileSync(${JSON.stringify(met)}, "");
       expect(isSecond).toBe(true);
     });`,
  );
  const asked: string[] = [];
  const again = (files: readonly string[]) => (asked.push(...files), step.command);
  const { code, lines } = await printed([{ ...step, again }]);
  expect(code).toBe(0);
  expect(lines.some((line) => line.startsWith("(fail) first time"))).toBe(true);
  const [at, ...totals] = lines.slice(-3);
  expect(asked.map((file) => file.endsWith("unsteady.test.ts"))).toEqual([true]);
  expect([at, ...totals]).toEqual([
    "Failed at first, passed alone; mend these tests:",
    `  ${asked[0]}: first time`,
    "2 passed, 0 failed",
  ]);

  const broken = tests("broken", `test("a", () => {}); test("b", () => expect(1).toBe(2));`);
  const twice = await printed([{ ...broken, again: () => broken.command }]);
  expect([twice.code, twice.lines.at(-1)]).toEqual([1, "1 passed, 1 failed"]);

  const failing = (name: string, count: number) =>
    tests(name, `test.each(Array.from({ length: ${count} }, (_, at) => at))("%i", () => expect(1).toBe(2));`);
  const many = failing("many", 11);
  const tooMany = await printed([{ ...many, again: () => expect.unreachable() }]);
  expect([tooMany.code, tooMany.lines.at(-1)]).toEqual([1, "0 passed, 11 failed"]);

  const passing = tests("passing-alone", `test("all", () => {});`);
  const few = await printed([{ ...failing("few", 10), again: () => passing.command }]);
  expect([few.code, few.lines.at(-1)]).toEqual([0, "10 passed, 0 failed"]);
  expect(few.lines.filter((line) => /^ {2}\S+: \d$/.test(line))).toHaveLength(10);
});

import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testUnless } from "@keelson/testkit";
import { ripgrepMissing } from "./find-ripgrep.ts";
import { createSearch } from "./search.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "keelson-search-")));
afterAll(() => rmSync(place, { recursive: true, force: true }));
const search = createSearch({ env: { PATH: process.env["PATH"] } });
const options = () => ({ cwd: place, signal: new AbortController().signal });

test("returns matches, no matches, and errors", async () => {
  writeFileSync(join(place, "a.txt"), "needle\nhay\n");
  expect(await search.run(["needle", "a.txt"], options())).toEqual({
    code: 0,
    stdout: "needle\n",
    stderr: "",
    cut: false,
    timedOut: false,
  });
  expect(await search.run(["absent"], options())).toMatchObject({ code: 1, stdout: "" });
  expect(await search.run(["("], options())).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("unclosed group"),
  });
});

testUnless(process.platform === "linux" ? null : "needs Linux", test)(
  "is not led away by a link, and makes no folder that is gone",
  async () => {
    symlinkSync(place, join(place, "link"));
    const outcome = (cwd: string) => search.run(["--files"], { ...options(), cwd }).then(() => "ran", String);
    expect(await outcome(place)).toBe("ran");
    expect(await outcome(join(place, "link"))).toContain("was replaced while it was being opened");
    expect(await outcome(join(place, "gone"))).toContain("cannot be opened (ENOENT)");
    expect(existsSync(join(place, "gone"))).toBe(false);
  },
);

test("cuts the output at maxBytes and stops the search", async () => {
  writeFileSync(join(place, "big"), "line\n".repeat(1_000_000));
  const result = await search.run(["line", "big"], { ...options(), maxBytes: 1000 });
  expect({ code: result.code, length: result.stdout.length, cut: result.cut }).toEqual({
    code: 0,
    length: 1000,
    cut: true,
  });
});

test("ripgrep does not read a config file", async () => {
  const config = join(place, "rgrc");
  writeFileSync(config, "--no-such-option\n");
  const other = createSearch({ env: { PATH: process.env["PATH"], RIPGREP_CONFIG_PATH: config } });
  expect(await other.run(["needle", "a.txt"], options())).toMatchObject({ code: 0, stderr: "" });
});

test("ends on timeout and on abort", async () => {
  const slow = createSearch({ env: { KEELSON_RG: "/bin/sleep" } });
  expect(await slow.run(["60"], { ...options(), timeoutMs: 50 })).toMatchObject({ code: 1, timedOut: true });
  const controller = new AbortController();
  const running = slow.run(["60"], { cwd: place, signal: controller.signal });
  controller.abort();
  expect(running).rejects.toThrow();
  await running.catch(() => {});
});

test("explains what to do if ripgrep is missing", () => {
  expect(createSearch({ env: { KEELSON_RG: "/nowhere/rg" } }).run(["x"], options())).rejects.toThrow("KEELSON_RG");
  const embedded = import.meta.path;
  expect(ripgrepMissing({ env: {}, embedded, cacheDir: "/nowhere" })).toBe(
    "ripgrep cannot be unpacked to /nowhere; set XDG_CACHE_HOME to a folder that you can write to, or install ripgrep, or set KEELSON_RG to its path",
  );
  expect(ripgrepMissing({ env: {} })).toBe("ripgrep was not found; install ripgrep, or set KEELSON_RG to its path");
});

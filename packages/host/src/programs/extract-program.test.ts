import { expect, test } from "bun:test";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { programCache } from "../files/private-file.ts";
import { extractProgram } from "./extract-program.ts";

function place() {
  const root = mkdtempSync(join(tmpdir(), "keelson-extract-"));
  const embedded = join(root, "rg-1a2b");
  writeFileSync(embedded, "#!/bin/sh\necho real\n");
  return {
    root,
    embedded,
    cache: join(root, "cache", "keelson"),
    [Symbol.dispose]: () => rmSync(root, { recursive: true }),
  };
}

test("extractProgram() creates one executable copy in a private folder", () => {
  using here = place();
  const path = extractProgram(here.embedded, here.cache)!;
  expect(path).toBe(join(here.cache, "rg-1a2b"));
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(statSync(here.cache).mode & 0o777).toBe(0o700);

  const { ino } = statSync(path);
  expect(extractProgram(here.embedded, here.cache)).toBe(path);
  expect(statSync(path).ino).toBe(ino);
  expect(readdirSync(here.cache)).toEqual(["rg-1a2b"]);
});

test("extractProgram() replaces a copy that others could have changed, or that is a link", () => {
  using here = place();
  const path = extractProgram(here.embedded, here.cache)!;
  writeFileSync(path, "echo planted");
  chmodSync(path, 0o777);
  extractProgram(here.embedded, here.cache);
  expect(readFileSync(path, "utf8")).toContain("echo real");

  // By a command of the same user, with the same size and rights.
  writeFileSync(path, readFileSync(path, "utf8").replace("real", "evil"));
  extractProgram(here.embedded, here.cache);
  expect(readFileSync(path, "utf8")).toContain("echo real");

  rmSync(path);
  writeFileSync(join(here.root, "planted"), "echo planted");
  symlinkSync(join(here.root, "planted"), path);
  extractProgram(here.embedded, here.cache);
  expect(readFileSync(path, "utf8")).toContain("echo real");
  expect(readFileSync(join(here.root, "planted"), "utf8")).toBe("echo planted");
});

test("extractProgram() returns null if it cannot write or others can write to the folder", () => {
  using here = place();
  expect(extractProgram(here.embedded, join(here.embedded, "below-a-file"))).toBeNull();
  mkdirSync(here.cache, { recursive: true });
  chmodSync(here.cache, 0o777);
  expect(extractProgram(here.embedded, here.cache)).toBeNull();
});

test("programCache() is the user's cache, and for a Keelson that is run as a command a folder in its state", () => {
  const place = { home: "/home/me", configDir: "/home/me/.claude" };
  expect(programCache({ ...place, env: {} })).toBe("/home/me/.cache/keelson");
  expect(programCache({ ...place, env: { XDG_CACHE_HOME: "/c", KEELSON_STATE_DIR: "/s" } })).toBe("/c/keelson");
  expect(programCache({ ...place, configDir: "/s", env: { KEELSON_STATE_DIR: "/s" } })).toBe("/s/cache");
});

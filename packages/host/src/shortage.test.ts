import { expect, test } from "bun:test";
import { shortageFix, shortageFixIn } from "./shortage.ts";

test.each([
  ["EMFILE: too many open files, socketpair", /ulimit -n/],
  ["accept: Too many open files in system", /close programs/],
  ["bash: fork: retry: Resource temporarily unavailable", /ulimit -u/],
  ["sh: 1: Cannot fork", /ulimit -u/],
  ["OSError: [Errno 12] Cannot allocate memory", /memory/],
  ["FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory", /memory/],
  ["tee: log: No space left on device", /disk/],
  ["write: Disk quota exceeded", /disk/],
  ["bash: line 1: /usr/bin/jq: Argument list too long", /pipe or a file/],
  ["RuntimeError: can't start new thread", /ulimit -u/],
  ["runtime: failed to create new OS thread (have 2 already; errno=11)", /ulimit -u/],
  ["OutOfMemoryError: unable to create native thread", /ulimit -u/],
  ["memory allocation of 8589934592 bytes failed", /memory/],
  ["grep: memory exhausted", /memory/],
  ["sh: 1: Pipe call failed", /ulimit -n/],
  ["libc.so.6: cannot open shared object file: Error 24", /ulimit -n/],
])("shortageFixIn(%j)", (text, fix) => {
  expect(shortageFixIn(text)).toMatch(fix);
});

test.each([
  "",
  "No such file or directory",
  "Permission denied",
  "connect ECONNREFUSED",
  "the file EMFILES is missing",
])("shortageFixIn(%j) is undefined", (text) => {
  expect(shortageFixIn(text)).toBeUndefined();
});

test("shortageFix() looks at codes and causes", () => {
  const full = Object.assign(new Error("write failed"), { code: "ENOSPC" });
  expect(shortageFix(new Error("the request failed", { cause: full }))).toMatch(/disk/);
  expect(shortageFix(Object.assign(new Error("no"), { code: "ENOENT" }))).toBeUndefined();
  expect(shortageFix("EMFILE")).toBeUndefined();
});

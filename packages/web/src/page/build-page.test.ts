import { expect, test } from "bun:test";
import type { PageFiles } from "./page-file.ts";
import { pageFiles, routinesPageFiles } from "./page-files.ts";

const KB = 1_000;

test("the page is small: at most 30 KB packed before it shows the list, 60 KB with a session, and 150 KB in all", async () => {
  const files = await pageFiles();
  const first = firstOf(files, "/page.js", ["/page.css", "/icon.svg", "/manifest.webmanifest"]);
  const session = scriptOf(files, "/session-view-");
  expect([...first].filter((path) => path.endsWith(".js")).length).toBeLessThan(scriptsOf(files).length);
  expect(first).not.toContain(session);
  expect(packed(files, first)).toBeLessThanOrEqual(30 * KB);
  expect(packed(files, neededBy(files, session, first))).toBeLessThanOrEqual(60 * KB);
  expect(packed(files, Object.keys(files))).toBeLessThanOrEqual(150 * KB);
});

test("the page of routines is small: at most 30 KB packed before it shows the list, 65 KB with a run, and 150 KB in all", async () => {
  const files = await routinesPageFiles();
  const first = firstOf(files, "/routines.js", ["/page.css", "/routines.css", "/icon.svg"]);
  const list = neededBy(files, scriptOf(files, "/routine-list-"), first);
  expect(packed(files, list)).toBeLessThanOrEqual(30 * KB);
  expect(packed(files, neededBy(files, scriptOf(files, "/run-view-"), list))).toBeLessThanOrEqual(65 * KB);
  expect(packed(files, Object.keys(files))).toBeLessThanOrEqual(150 * KB);
});

const packed = (files: PageFiles, paths: Iterable<string>) =>
  [...paths].reduce((bytes, path) => bytes + files[path]!.packed.length, 0);

const scriptsOf = (files: PageFiles) => Object.keys(files).filter((path) => path.endsWith(".js"));

const scriptOf = (files: PageFiles, start: string) => scriptsOf(files).find((path) => path.startsWith(start))!;

const firstOf = (files: PageFiles, script: string, others: readonly string[]): ReadonlySet<string> =>
  new Set(["/", ...others, ...neededBy(files, script)]);

/** With what it imports at once. */
function neededBy(files: PageFiles, path: string, others: ReadonlySet<string> = new Set()): ReadonlySet<string> {
  const known = new Set(others).add(path);
  const imported = files[path]!.text.matchAll(/(?:from|import)\s*"\.(\/[\w.-]+\.js)"/g);
  return [...imported].reduce<ReadonlySet<string>>(
    (all, [, next]) => (all.has(next!) ? all : neededBy(files, next!, all)),
    known,
  );
}

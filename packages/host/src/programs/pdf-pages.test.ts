import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { watch } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { drawPdfPages } from "./pdf-pages.ts";

const place = mkdtempSync(join(tmpdir(), "keelson-draw-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));
let count = 0;

/** A pdftoppm that does this; `$OUT` is a folder of the test. */
function world(script: string) {
  const root = join(place, `${++count}`);
  const temporary = join(root, "tmp");
  mkdirSync(temporary, { recursive: true });
  writeFileSync(join(root, "pdftoppm"), `#!/bin/sh\nOUT='${root}'\n${script}`);
  chmodSync(join(root, "pdftoppm"), 0o755);
  const draw = (range = { first: 1, last: 2 }, signal = new AbortController().signal) =>
    drawPdfPages(new TextEncoder().encode("%PDF"), range, signal, {
      find: (name) => join(root, name),
      path: "/usr/bin:/bin",
      confine: () => Promise.reject(new Error("no shield")),
      temporary,
    });
  return { root, draw, left: () => readdirSync(temporary) };
}

test("drawPdfPages() returns the pages in order and leaves nothing behind", async () => {
  const { root, draw, left } = world(`echo "$@" >"$OUT/args"; cat file.pdf >"$OUT/seen"
printf ten >page-10.jpg; printf nine >page-09.jpg; printf x >other.jpg; env >"$OUT/env"; ulimit -v >"$OUT/memory"`);
  const pages = await draw({ first: 9, last: 10 });
  expect(pages?.map(({ page, jpeg }) => [page, Buffer.from(jpeg).toString()])).toEqual([
    [9, "nine"],
    [10, "ten"],
  ]);
  const said = (name: string) => readFileSync(join(root, name), "utf8").trim();
  expect(said("args")).toBe("-jpeg -jpegopt quality=80 -f 9 -l 10 -scale-to 1400 file.pdf page");
  expect(said("seen")).toBe("%PDF");
  expect(said("env")).not.toContain("ANTHROPIC");
  if (process.platform === "linux") expect(said("memory")).toBe("2097152");
  expect(left()).toEqual([]);
});

test("drawPdfPages() is null without the program, and if the program fails", async () => {
  const { root, draw, left } = world("exit 3");
  expect(await draw()).toBeNull();
  expect(left()).toEqual([]);
  const confine = () => Promise.reject(new Error("no shield"));
  const { signal } = new AbortController();
  // One that commands could replace needs the shield.
  for (const path of ["/nowhere", root]) {
    const options = { find: () => null, path, confine, temporary: place };
    expect(await drawPdfPages(new Uint8Array(), { first: 1, last: 1 }, signal, options)).toBeNull();
  }
});

test("drawPdfPages() rejects pages that are too large together", async () => {
  const { draw } = world("head -c 7000000 /dev/zero >page-1.jpg; head -c 7000000 /dev/zero >page-2.jpg");
  await expect(draw()).rejects.toThrow("The pages are too large to show together. Request fewer at once.");
});

test("drawPdfPages() ends the program when the call is aborted", async () => {
  const { root, draw, left } = world(`echo $$ >"$OUT/pid"; exec sleep 600`);
  const controller = new AbortController();
  const files = watch(root);
  const drawing = draw(undefined, controller.signal);
  for await (const { filename } of files) if (filename === "pid") break;
  controller.abort();
  await expect(drawing).rejects.toThrow();
  expect(left()).toEqual([]);
});

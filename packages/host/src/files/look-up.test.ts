// Expands patterns and lists folders on a real disk.

import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { listContents, expandPattern } from "./look-up.ts";

const MUCH = 10_000;
const fits = (name: string, part: string) =>
  new RegExp(`^${part.replaceAll("*", ".*").replaceAll("?", ".")}$`).test(name);

function folder(files: readonly string[], links: Readonly<Record<string, string>> = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-look-")));
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), "");
  }
  for (const [link, target] of Object.entries(links)) symlinkSync(target, join(root, link));
  return { root, [Symbol.dispose]: () => rmSync(root, { recursive: true }) };
}

/** As `given` where no link is on the way, else `given -> real`, without the root. */
const shown = (found: readonly { given: string; real: string }[] | undefined, root: string) =>
  found
    ?.map(({ given, real }) => (given === real ? given : `${given} -> ${real}`))
    .map((text) => text.replaceAll(root, ""))
    .toSorted();

test("expandPattern() finds the matches of a pattern and resolves links", () => {
  using disk = folder(["a/x.ts", "b/x.ts", "b/y.md", "c.md"], { l: "b", "b/up": ".." });
  const table: Record<string, readonly string[]> = {
    "/*.md": ["/c.md"],
    "/*/x.ts": ["/a/x.ts", "/b/x.ts", "/l/x.ts -> /b/x.ts"],
    "/l/*": ["/l/up -> ", "/l/x.ts -> /b/x.ts", "/l/y.md -> /b/y.md"],
    "/b/*/c.md": ["/b/up/c.md -> /c.md"],
    "/?": ["/a", "/b", "/l -> /b"],
    "/**/x.ts": ["/a/x.ts", "/b/x.ts", "/l/x.ts -> /b/x.ts"],
    "/**/c.md": ["/b/up/c.md -> /c.md", "/c.md"],
    "/none/*": [],
    "/c.md/*": [],
    "/*/none": [],
  };
  const found = Object.keys(table).map((pattern) =>
    shown(expandPattern(disk.root + pattern, fits, { left: MUCH }), disk.root),
  );
  expect(found).toEqual(Object.values(table) as string[][]);
});

test("listContents() follows links only on request, and visits no folder twice", () => {
  using disk = folder(["a/x", "a/deep/y", "out/z"]);
  symlinkSync(join(disk.root, "out"), join(disk.root, "a/l"));
  symlinkSync(join(disk.root, "a"), join(disk.root, "out/back"));
  const look = (follow: boolean) => shown(listContents(join(disk.root, "a"), { follow }, { left: MUCH }), disk.root);
  expect(look(false)).toEqual(["/a/deep", "/a/deep/y", "/a/l -> /out", "/a/x"]);
  expect(look(true)).toEqual(["/a/deep", "/a/deep/y", "/a/l -> /out", "/a/l/back -> /a", "/a/l/z -> /out/z", "/a/x"]);
  expect(listContents(join(disk.root, "a/x"), { follow: true }, { left: MUCH })).toEqual([]);
});

test("the result is undefined if there is too much to list, and lookups share one budget", () => {
  using disk = folder(["a/1", "a/2", "a/3", "b/1"]);
  const sight = { left: 3 };
  expect(listContents(join(disk.root, "a"), { follow: false }, sight)).toHaveLength(3);
  expect(listContents(join(disk.root, "b"), { follow: false }, sight)).toBeUndefined();
  expect(expandPattern(join(disk.root, "b/*"), fits, sight)).toBeUndefined();
});

test("a link or folder with an invalid name cannot be looked up, a plain file can", () => {
  using disk = folder(["a/x", "b/y"]);
  writeFileSync(Buffer.concat([Buffer.from(join(disk.root, "b/")), Buffer.from([0xff])]), "");
  const look = () => [
    expandPattern(`${disk.root}/b/*`, fits, { left: MUCH })?.length,
    listContents(join(disk.root, "b"), { follow: false }, { left: MUCH })?.length,
  ];
  expect(look()).toEqual([2, 2]);
  symlinkSync("/etc/passwd", Buffer.concat([Buffer.from(join(disk.root, "b/")), Buffer.from([0xfe])]));
  expect(look()).toEqual([undefined, undefined]);
  expect(expandPattern(`${disk.root}/a/*`, fits, { left: MUCH })).toHaveLength(1);
});

test("listContents() does not enter subfolders if `shallow` is set", () => {
  using disk = folder(["a/x", "a/deep/y"]);
  const found = listContents(join(disk.root, "a"), { follow: true, shallow: true }, { left: MUCH });
  expect(shown(found, disk.root)).toEqual(["/a/deep", "/a/x"]);
});

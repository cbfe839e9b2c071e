import { expect, test } from "bun:test";
import { grepTarget } from "./target.ts";

type Row = readonly [
  what: string,
  given: { file?: true; realPath: string; shown: string; glob?: string },
  started: { cwd: string; target: string },
  names: Readonly<Record<string, string>>,
];

const ROWS: readonly Row[] = [
  ["the working directory", { realPath: "/w", shown: "." }, { cwd: "/w", target: "." }, { "./a": "a", "./b/c": "b/c" }],
  ["a folder in it", { realPath: "/w/src", shown: "src" }, { cwd: "/w/src", target: "." }, { "./a": "src/a" }],
  ["a link to a folder", { realPath: "/w/src", shown: "link" }, { cwd: "/w/src", target: "." }, { "./a": "link/a" }],
  ["a folder elsewhere", { realPath: "/x/y", shown: "/x/y" }, { cwd: "/x/y", target: "." }, { "./a": "/x/y/a" }],
  ["the root", { realPath: "/", shown: "/" }, { cwd: "/", target: "." }, { "./etc/a": "/etc/a" }],
  ["a file", { file: true, realPath: "/w/b", shown: "a" }, { cwd: "/w", target: "b" }, { b: "a", "b.js": "b.js" }],
  [
    "a glob of names",
    { realPath: "/w/src", shown: "src", glob: "*.ts, dist/" },
    { cwd: "/w/src", target: "." },
    { "./a": "src/a" },
  ],
  [
    "a glob of paths, which starts at the working directory",
    { realPath: "/w/src", shown: "link", glob: "src/*.ts" },
    { cwd: "/w", target: "src" },
    { "src/a": "link/a", "src:": "src:" },
  ],
];

test.each(ROWS)("grepTarget() for %s", (_, { file, realPath, shown, glob }, started, names) => {
  const kind = file ? "file" : "directory";
  const { toShownPath, ...target } = grepTarget({ kind, realPath, size: 0, mtimeMs: 0 }, shown, glob, "/w");
  expect(target).toEqual(started);
  expect(Object.fromEntries(Object.keys(names).map((printed) => [printed, toShownPath(printed)]))).toEqual({
    ...names,
  });
});

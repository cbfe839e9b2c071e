import { expect, test } from "bun:test";
import { MentionIndex, rankOf } from "./file-index.ts";

function index(files: string[]) {
  const lists: string[] = [];
  let now = 0;
  const made = new MentionIndex({
    list: async (root) => {
      lists.push(root);
      return [...files];
    },
    now: () => now,
  });
  const find = (query: string, isShown: (path: string) => boolean = () => true) => made.find("/p", query, 3, isShown);
  return { made, find, lists, files, later: (ms: number) => (now += ms) };
}

test("files and folders that match best come first", async () => {
  const { find } = index(["src/main.ts", "src/deep/domain.ts", "README.md", "lib/main/other.ts", "src/m/a/i/n.ts"]);
  expect(await find("main")).toEqual(["lib/main/", "src/main.ts", "src/deep/domain.ts"]);
  expect(await find("DEEP/")).toEqual(["src/deep/", "src/deep/domain.ts"]);
  expect(await find("")).toEqual(["lib/", "src/", "src/m/"]);
  expect(await find("xyz")).toEqual([]);
});

test("what is not shown leaves its place to others", async () => {
  const { find } = index(["a1", "a2", "a3", "a4"]);
  expect(await find("a", (path) => path !== "a2")).toEqual(["a1", "a3", "a4"]);
});

test("a list is used again; an old one still answers, and is made anew meanwhile", async () => {
  const { find, lists, files, later } = index(["one"]);
  await Promise.all([find("o"), find("on")]);
  await find("one");
  expect(lists).toHaveLength(1);
  files.push("once");
  later(10_000);
  expect(await find("on")).toEqual(["one"]);
  expect(lists).toHaveLength(2);
  expect(await find("on")).toEqual(["one", "once"]);
  files.push("fresh");
  later(10_000);
  // Nothing in the old list matches, so the new one is worth the wait.
  expect(await find("fresh")).toEqual(["fresh"]);
});

test("another folder has its own list", async () => {
  const { made, lists } = index(["one"]);
  await made.find("/p", "o", 3, () => true);
  await made.find("/q", "o", 3, () => true);
  expect(lists).toEqual(["/p", "/q"]);
});

test.each<[string, string, number | undefined]>([
  ["src/main.ts", "main.ts", 0],
  ["src/main/", "main", 0],
  ["src/main.ts", "mai", 1],
  ["src/domain.ts", "main", 2],
  ["main/x.ts", "main/", 3],
  ["src/m/a/i/n.ts", "main", 4],
  ["src/main.ts", "niam", undefined],
  ["main/main.ts", "main", 1],
])("rankOf(%p, %p) is %p", (path, query, rank) => {
  expect(rankOf(path, query)).toBe(rank);
});

test("a hundred thousand paths cost one pass each, not a sort", async () => {
  const files = Array.from({ length: 100_000 }, (_, n) => `packages/p${n % 97}/src/file-${n}.ts`);
  const { find } = index(files);
  await find("a");
  let asked = 0;
  await find("file", () => (asked++, true));
  expect(asked).toBeLessThan(1_000);
});

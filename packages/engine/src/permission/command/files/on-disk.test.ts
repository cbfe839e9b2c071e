import { expect, test } from "bun:test";
import { analyseCommand } from "../analysis/command.ts";
import { nameFits, toLookUp } from "./on-disk.ts";

test("a command that changes folders too often is not followed past the limit", () => {
  const looked = (times: number) => {
    let count = 0;
    const real = (path: string) => (count++, path);
    toLookUp(analyseCommand("cd a;".repeat(times)), { cwd: "/repo", home: "/home/me" }, real);
    return count;
  };
  expect(looked(1_000)).toBe(looked(100));
});

test.each([
  ["a.ts", "?.ts", true],
  ["ab.ts", "?.ts", false],
  ["😀.ts", "?.ts", true],
  ["é", "??", true],
  ["é", "[!a]", true],
  ["İx", "İ*", true],
  ["A", "a", true],
  [".a", "*", false],
])("nameFits(%j, %j) is %j", (name, pattern, fits) => {
  expect(nameFits(name, pattern)).toBe(fits);
});

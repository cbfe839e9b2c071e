import { expect, test } from "bun:test";
import { programsWithoutFiles } from "./opens-no-file.ts";

test.each<[string, string[]]>([
  ["echo hi", []],
  ["sleep 0.2; echo par-data-0-end", ["sleep"]],
  ["true && echo done", []],
  ["date +%s && sleep 1; sleep 2", ["date", "sleep"]],
  ["echo a,b=c:d@e; pwd", []],
])("programsWithoutFiles() is known for %s", (command, programs) =>
  expect(programsWithoutFiles(command)).toEqual(programs),
);

test.each([
  "",
  "cat x",
  "echo hi > x",
  "echo $(cat x)",
  "echo `cat x`",
  "echo 'a'",
  "echo *",
  "echo ~",
  "echo a | cat",
  "echo a & cat x",
  "echo a\ncat x",
  "X=1 echo",
  "echo a; rm b",
  "date -f x",
  "date -s 0",
  "./echo",
  "echo a #b",
  "echo {a,b}",
  "sleep 1;; echo",
  `echo ${"a".repeat(2_000)}`,
])("programsWithoutFiles() is undefined for %#", (command) => expect(programsWithoutFiles(command)).toBeUndefined());

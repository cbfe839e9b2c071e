import { expect, test } from "bun:test";
import { opensNoFile } from "./opens-no-file.ts";

test.each(["echo hi", "sleep 0.2; echo par-data-0-end", "true && echo done", "date +%s", "echo a,b=c:d@e; sleep 1"])(
  "opensNoFile() is true for %s",
  (command) => expect(opensNoFile(command)).toBe(true),
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
])("opensNoFile() is false for %#", (command) => expect(opensNoFile(command)).toBe(false));

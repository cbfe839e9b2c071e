import { expect, test } from "bun:test";
import { orderLines } from "./lines.ts";

const stopped = 'WARNING: stopped searching binary file after match (found "\\0" byte around offset 70009)';

test("orderLines() groups lines by file and sorts files, even if their names contain newlines", () => {
  const stdout = [
    "./b.ts\0:1\0:two",
    "--",
    "./b.ts\0:9\0:six",
    "--",
    "./a\n--\nb.ts\0:1\0:one",
    "./c.bin\0:1\0:x",
    `./c.bin: ${stopped}`,
    "./cut",
  ];
  expect(orderLines(`${stdout.join("\n")}\n`)).toEqual([
    "./a\n--\nb.ts\0:1\0:one",
    "--",
    "./b.ts\0:1\0:two",
    "--",
    "./b.ts\0:9\0:six",
    "--",
    "./c.bin\0:1\0:x",
    `./c.bin: ${stopped}`,
  ]);
});

test("orderLines() drops every line of a hidden file, and checks each file once", () => {
  const asked: string[] = [];
  const shows = (path: string) => asked.push(path) > 0 && !path.startsWith("./secrets/");
  const stdout = [
    "./secrets/a\nb\0:1\0:key",
    "./secrets/a\nb\0:2\0:key",
    "./secrets/c.bin\0:1\0:x",
    `./secrets/c.bin: ${stopped}`,
    "./open\0:1\0:key",
    "./open\0:2\0:key",
  ];
  expect(orderLines(`${stdout.join("\n")}\n`, shows)).toEqual(["./open\0:1\0:key", "./open\0:2\0:key"]);
  expect(asked).toEqual(["./secrets/a\nb", "./secrets/c.bin", "./open"]);
});

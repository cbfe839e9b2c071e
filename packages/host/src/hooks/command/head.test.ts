import { expect, test } from "bun:test";
import { keepHead } from "./head.ts";

const bytes = (...values: number[]) => new Uint8Array(values);

test("keepHead() keeps the start and reports that there was more", () => {
  const head = keepHead(5);
  head.push(Buffer.from("abc"));
  expect([head.text(), head.size(), head.isCut()]).toEqual(["abc", 3, false]);
  head.push(Buffer.from("defg"));
  head.push(Buffer.from("h"));
  expect([head.text(), head.size(), head.isCut()]).toEqual(["abcde", 5, true]);
  expect(head.text(2)).toBe("ab");
  expect(head.take()).toBe("abcde");
});

test("output of exactly the limit is not cut", () => {
  const head = keepHead(3);
  head.push(Buffer.from("abc"));
  expect([head.isCut(), head.take()]).toEqual([false, "abc"]);
});

test("invalid UTF-8 is replaced; a character cut by the limit is dropped", () => {
  const broken = keepHead(100);
  broken.push(bytes(0x61, 0xff, 0xc3));
  expect(broken.text()).toBe("a\uFFFD");
  expect(broken.take()).toBe("a\uFFFD\uFFFD");

  const cut = keepHead(2);
  cut.push(Buffer.from("aé"));
  expect([cut.isCut(), cut.take()]).toEqual([true, "a"]);
});

test("a character split between two chunks is joined", () => {
  const head = keepHead(100);
  for (const byte of Buffer.from("né€😀")) head.push(bytes(byte));
  expect(head.take()).toBe("né€😀");
});

test("output after take() is dropped", () => {
  const head = keepHead(100);
  head.push(Buffer.from("kept"));
  expect(head.take()).toBe("kept");
  head.push(Buffer.from("late"));
  expect(head.take()).not.toContain("late");
});

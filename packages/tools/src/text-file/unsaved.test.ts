import { expect, test } from "bun:test";
import { shownLike, unsavedBytes } from "./unsaved.ts";

const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);

test.each<[string, Uint8Array | undefined, string]>([
  ["the same", Buffer.from("a\nb\n"), "a\nb\n"],
  ["line endings", Buffer.from("a\r\nb\r\n"), "a\nb\n"],
  ["mixed line endings", Buffer.from("a\r\nb\n"), "a\nb\n"],
  ["a byte order mark", Buffer.from("\ufeffa\n"), "a\n"],
  ["the last newline", Buffer.from("a\n"), "a"],
  ["another encoding", utf16("ä\r\n"), "ä\n"],
  ["no file, and nothing typed", undefined, ""],
])("nothing to save: %s", (_, disk, shown) => {
  expect(unsavedBytes(disk, shown)).toBeUndefined();
});

test.each<[string, Uint8Array | undefined, string, Uint8Array]>([
  ["plain text", Buffer.from("a\n"), "a\nb\n", Buffer.from("a\nb\n")],
  ["as the file ends lines", Buffer.from("a\r\n"), "a\nb\n", Buffer.from("a\r\nb\r\n")],
  ["as the editor ends lines", Buffer.from("a\n"), "a\r\nb\r\n", Buffer.from("a\r\nb\r\n")],
  ["with its mark", Buffer.from("\ufeffa\n"), "b\n", Buffer.from("\ufeffb\n")],
  ["in its encoding", utf16("a\n"), "ä\n", utf16("ä\n")],
  ["what its encoding lacks", Buffer.from([0xe4, 10]), "→\n", Buffer.from("→\n")],
  ["a new file", undefined, "a", Buffer.from("a")],
  ["all of it", Buffer.from("a\n"), "", Buffer.from("")],
])("to save: %s", (_, disk, shown, bytes) => {
  expect(Buffer.from(unsavedBytes(disk, shown)!)).toEqual(Buffer.from(bytes));
});

test("an editor gets text as it gave it", () => {
  expect(shownLike("a\n", Buffer.from("\ufeffa\r\nb\r\n"))).toBe("a\nb\n");
  expect(shownLike("\ufeffa\r\n", Buffer.from("\ufeffa\r\nb\r\n"))).toBe("\ufeffa\r\nb\r\n");
});

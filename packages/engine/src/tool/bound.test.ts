import { expect, test } from "bun:test";
import fc from "fast-check";
import { cutAtLine, cutMiddle, kilobytes, lastLines, persistedNotice } from "./bound.ts";

const text = fc.string({ unit: "binary", maxLength: 400 });
const hasLoneSurrogate = (value: string) => !value.isWellFormed();

test("cutMiddle() keeps short texts and both ends of long ones, and counts what is missing", () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 200 }), (value, limit) => {
      const cut = cutMiddle(value, limit);
      if (value.length <= limit) return expect(cut).toBe(value);
      const [head, missing, tail] = cut.match(/^([^]*)\n\n… (\d+) characters left out …\n\n([^]*)$/)!.slice(1);
      expect(value.startsWith(head!) && value.endsWith(tail!)).toBe(true);
      expect(head!.length + tail!.length + Number(missing)).toBe(value.length);
      expect(head!.length + tail!.length).toBeLessThanOrEqual(limit);
      if (!hasLoneSurrogate(value)) expect(hasLoneSurrogate(cut)).toBe(false);
    }),
  );
});

test("cutAtLine() returns a prefix within the limit and never half a character", () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 200 }), (value, limit) => {
      const cut = cutAtLine(value, limit);
      expect(value.startsWith(cut)).toBe(true);
      expect(cut.length).toBeLessThanOrEqual(limit);
      if (!hasLoneSurrogate(value)) expect(hasLoneSurrogate(cut)).toBe(false);
    }),
  );
});

test("lastLines() returns the end within the limit and never half a character", () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 200 }), (value, limit) => {
      const cut = lastLines(value, limit);
      expect(value.trimEnd().endsWith(cut)).toBe(true);
      expect(cut.length).toBeLessThanOrEqual(limit);
      if (!hasLoneSurrogate(value)) expect(hasLoneSurrogate(cut)).toBe(false);
    }),
  );
});

test("the notice about saved output shows its start and its end, and stays small however long the output is", () => {
  const lines = Array.from({ length: 500_000 }, (_, at) => `line ${at}`).join("\n");
  const notice = persistedNotice("/c/r.txt", 5_000_000, lines);
  expect(notice.length).toBeLessThan(3_400);
  expect(notice).toStartWith(
    "<persisted-output>\nOutput too large (4.8MB). Full output saved to: /c/r.txt\n" +
      "Read the part you need with offset and limit, or search it with Grep. It starts and ends like this:\n\nline 0\n",
  );
  expect(notice).toEndWith("\nline 499998\nline 499999\n</persisted-output>");
});

test("kilobytes() switches to megabytes at 1024 KB", () => {
  expect([kilobytes(108_851), kilobytes(1024 * 1024)]).toEqual(["106.3KB", "1.0MB"]);
});

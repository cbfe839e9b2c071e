import { expect, test } from "bun:test";
import fc from "fast-check";
import { cutAtLine, cutMiddle, kilobytes, persistedNotice } from "./bound.ts";

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

test("the notice about saved output stays small however long the output is", () => {
  const notice = persistedNotice("/c/r.txt", 5_000_000, "line\n".repeat(1_000_000));
  expect(notice.length).toBeLessThan(2_300);
  expect(notice).toStartWith("<persisted-output>\nOutput too large (4.8MB). Full output saved to: /c/r.txt\n");
});

test("kilobytes() switches to megabytes at 1024 KB", () => {
  expect([kilobytes(108_851), kilobytes(1024 * 1024)]).toEqual(["106.3KB", "1.0MB"]);
});

import { expect, test } from "bun:test";
import fc from "fast-check";
import { lfOffsets, lineEndingOf, toLf } from "./line-endings.ts";

test("lineEndingOf() returns the most common ending", () => {
  expect(["", "a", "a\nb", "a\r\nb", "a\r\nb\n", "a\r\nb\r\nc\n", "a\rb"].map(lineEndingOf)).toEqual([
    "\n",
    "\n",
    "\n",
    "\r\n",
    "\n",
    "\r\n",
    "\n",
  ]);
});

test("lfOffsets() maps offsets in LF text to the stored text", () => {
  const text = fc.array(fc.constantFrom("a", "\n", "\r\n", "\r")).map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, (stored) => {
      const lf = toLf(stored);
      const translate = lfOffsets(stored);
      for (let offset = 0; offset <= lf.length; offset++) {
        const at = translate(offset);
        // A cut inside a CRLF would leave a lone CR behind.
        expect([toLf(stored.slice(0, at)), toLf(stored.slice(at))]).toEqual([lf.slice(0, offset), lf.slice(offset)]);
      }
    }),
  );
});

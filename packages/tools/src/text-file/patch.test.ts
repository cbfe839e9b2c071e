import { expect, test } from "bun:test";
import { applyPatch } from "diff";
import fc from "fast-check";
import { patchOf } from "./patch.ts";

const apply = (before: string, hunks: Awaited<ReturnType<typeof patchOf>>) =>
  applyPatch(before, { oldFileName: "", newFileName: "", oldHeader: "", newHeader: "", hunks: hunks as never });

test("a change deep in a file has three lines of context and the right line numbers", async () => {
  const lines = Array.from({ length: 50 }, (_, index) => `line ${index + 1}`);
  const before = `${lines.join("\n")}\n`;
  expect(await patchOf(before, before.replace("line 20\n", "twenty\nand more\n"))).toEqual([
    {
      oldStart: 17,
      oldLines: 7,
      newStart: 17,
      newLines: 8,
      lines: [
        " line 17",
        " line 18",
        " line 19",
        "-line 20",
        "+twenty",
        "+and more",
        " line 21",
        " line 22",
        " line 23",
      ],
    },
  ]);
});

test("a missing newline at the end is marked", async () => {
  expect(await patchOf("a\nb", "a\nc")).toEqual([
    {
      oldStart: 1,
      oldLines: 2,
      newStart: 1,
      newLines: 2,
      lines: [" a", "-b", "\\ No newline at end of file", "+c", "\\ No newline at end of file"],
    },
  ]);
});

test("there are no hunks for equal texts or for a change that is too large", async () => {
  expect(await patchOf("a\n", "a\n")).toEqual([]);
  expect(await patchOf("a\n".repeat(400_000), "b\n".repeat(400_000))).toEqual([]);
});

test("applying the patch to the old text gives the new text", async () => {
  const text = fc
    .array(fc.constantFrom("a\n", "b\n", "c\n", "\n", "d"), { maxLength: 30 })
    .map((parts) => parts.join(""));
  await fc.assert(
    fc.asyncProperty(text, text, async (before, after) => {
      expect(apply(before, await patchOf(before, after))).toBe(after);
    }),
    { numRuns: 300 },
  );
});

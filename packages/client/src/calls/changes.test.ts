import { expect, test } from "bun:test";
import { patchOfResult, readPatch, textsOfHunk } from "./changes.ts";

const hunk = { oldStart: 3, oldLines: 2, newStart: 3, newLines: 3, lines: [" a", "-b", "+c", "+d", "\\ No newline"] };

test.each([
  ["an edit", { file_path: "/a" }, { structuredPatch: [hunk] }, { path: "/a", hunks: [hunk] }],
  ["its own path counts", { file_path: "a" }, { filePath: "/a", structuredPatch: [] }, { path: "/a", hunks: [] }],
  [
    "a new file",
    { file_path: "/a", content: "x\ny\n" },
    { type: "create", structuredPatch: [] },
    { path: "/a", isNew: true, hunks: [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 2, lines: ["+x", "+y"] }] },
  ],
  [
    "what is no hunk is left out",
    { file_path: "/a" },
    { structuredPatch: [hunk, { lines: 1 }] },
    { path: "/a", hunks: [hunk] },
  ],
  ["another tool", { file_path: "/a" }, { stdout: "" }, undefined],
  ["no path", {}, { structuredPatch: [hunk] }, undefined],
  ["a failure", { file_path: "/a" }, "Error: no", undefined],
])("the patch of a result: %s", (_, input, output, patch) => {
  expect(patchOfResult(input, output)).toEqual(patch as never);
});

test.each([
  [{ path: "/a", hunks: [hunk] }, true],
  [{ path: "/a", isNew: true, hunks: [] }, true],
  // Half of a change must not pass for the whole one.
  [{ path: "/a", hunks: [hunk, { ...hunk, lines: [1] }] }, false],
  [{ path: 1, hunks: [] }, false],
  [{ path: "/a" }, false],
  ["", false],
])("the patch of a question %j is read: %p", (value, isRead) => {
  expect(readPatch(value)).toEqual((isRead ? value : undefined) as never);
});

test("a hunk has a text before it and one after it", () => {
  expect(textsOfHunk(hunk)).toEqual({ oldText: "a\nb", newText: "a\nc\nd" });
});

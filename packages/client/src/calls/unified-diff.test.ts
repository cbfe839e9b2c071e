import { expect, test } from "bun:test";
import { unifiedDiff } from "./unified-diff.ts";

test("unifiedDiff() reads what git prints", () => {
  const text = `diff --git a/src/a b.ts b/src/a b.ts
index 1111111..2222222 100644
--- a/src/a b.ts
+++ b/src/a b.ts
@@ -1,3 +1,3 @@ function f() {
 one
--- two
+++ 2
 three
diff --git a/old.ts b/new.ts
similarity index 90%
rename from old.ts
rename to new.ts
diff --git a/gone b/gone
deleted file mode 100644
index 1111111..0000000
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-x
\\ No newline at end of file
diff --git "a/\\303\\244.txt" "b/\\303\\244.txt"
new file mode 100644
--- /dev/null
+++ "b/\\303\\244.txt"
@@ -0,0 +1,2 @@
+a
+b
diff --git a/p.png b/p.png
Binary files a/p.png and b/p.png differ
`;
  expect(unifiedDiff(text)).toEqual([
    {
      path: "src/a b.ts",
      change: "modified",
      hunks: [{ oldStart: 1, oldLines: 3, newStart: 1, newLines: 3, lines: [" one", "--- two", "+++ 2", " three"] }],
    },
    { path: "new.ts", oldPath: "old.ts", change: "renamed", hunks: [] },
    {
      path: "gone",
      change: "deleted",
      hunks: [{ oldStart: 1, oldLines: 1, newStart: 0, newLines: 0, lines: ["-x", "\\ No newline at end of file"] }],
    },
    {
      path: "ä.txt",
      change: "added",
      hunks: [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 2, lines: ["+a", "+b"] }],
    },
    { path: "p.png", change: "binary", hunks: [] },
  ]);
});

test("unifiedDiff() reads plain patches, and nothing from other text", () => {
  expect(unifiedDiff("--- a.txt\t2026-01-01\n+++ a.txt\n@@ -1 +1 @@\n-a\n+b\n")).toEqual([
    {
      path: "a.txt",
      change: "modified",
      hunks: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-a", "+b"] }],
    },
  ]);
  expect(unifiedDiff("")).toEqual([]);
  expect(unifiedDiff("nothing to see\n@@ -1 +1 @@\n")).toEqual([]);
});

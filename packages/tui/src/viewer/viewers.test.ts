import { expect, test } from "bun:test";
import { frame, key, keys, NOW, shown, SIZES, typing } from "../panels/panel.test-support.ts";
import { panelKeys } from "../panels/panel-keys.ts";
import { call, failure, feedOf, prompt, text as answer, thinking } from "../stream/feed.test-support.ts";
import { diffViewer } from "./diff-viewer.ts";
import { transcriptViewer } from "./transcript-viewer.ts";

const bound = panelKeys(keys);

function conversation(messages: Parameters<ReturnType<typeof feedOf>["take"]>[0][]) {
  const feed = feedOf();
  for (const message of messages) feed.take(message, NOW);
  feed.settle(NOW);
  feed.finished(frame());
  const items = () => [...feed.past.items, ...feed.unfinished];
  return transcriptViewer({ items, forgotten: () => feed.past.forgotten, keys: bound, cwd: "/p", now: () => NOW });
}

const OUTPUT = Array.from({ length: 30 }, (_line, index) => `line ${index + 1}`).join("\n");

test("the transcript shows every part in full, and nothing in it is obeyed", () => {
  const view = conversation([
    prompt("Fix the tests"),
    thinking("Let me look."),
    call("t1", "Bash", { command: "npm test" }),
    failure("t1", `${OUTPUT}\n\u001b[2Jboom`),
    answer("It works now."),
  ]);
  const all = shown(view, frame(80, 60));
  for (const each of [
    "Fix the tests",
    "Let me look.",
    "npm test",
    "line 1\n",
    "line 15\n",
    "␛[2Jboom",
    "It works now.",
  ]) {
    expect(all).toContain(each);
  }
  expect(all).not.toContain("\u001b[2J");
  for (const [columns, rows] of SIZES) expect(shown(view, frame(columns, rows))).toMatchSnapshot();
  view.take(key("["), 0);
  expect(shown(view, frame(80, 8)).split("\n")[0]).toContain("Fix the tests");
  view.take(key("shift+tab"), 0);
  expect(shown(view, frame(80, 24))).not.toContain("line 15");
});

test("a transcript of 10,000 lines opens at its end, and a search finds its first line", () => {
  const view = conversation(
    Array.from({ length: 1_000 }, (_each, index) =>
      answer(Array.from({ length: 10 }, (_line, line) => `line ${index * 10 + line}`).join("\n\n")),
    ),
  );
  expect(shown(view)).toContain("line 9999");
  for (const each of [key("/"), ...typing("line 0"), key("enter")]) view.take(each, 0);
  expect(shown(view)).toContain("line 0");
});

test("an answer that is being written is followed", () => {
  const feed = feedOf();
  const items = () => [...feed.past.items, ...feed.unfinished];
  const view = transcriptViewer({ items, keys: bound, cwd: "/p", now: () => NOW });
  feed.take(prompt("go"), NOW);
  feed.take(answer("first words"), NOW);
  expect(shown(view)).toContain("first words");
  feed.take(answer("second words"), NOW);
  expect(shown(view)).toContain("second words");
});

const DIFF = `diff --git a/src/a.ts b/src/a.ts
index 1..2 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,3 +1,2 @@
 same
-old
+new
--- a line that looks like a header
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/x.png b/x.png
new file mode 100644
Binary files /dev/null and b/x.png differ
diff --git a/old name b/new name
similarity index 100%
rename from old name
rename to new name
`;

test("the diff viewer lists the files, jumps from one to the next and folds them", () => {
  const view = diffViewer({ title: "Changes", diff: DIFF, keys: bound });
  for (const [columns, rows] of SIZES) expect(shown(view, frame(columns, rows))).toMatchSnapshot();
  shown(view, frame(80, 6));
  view.take(key("]"), 0);
  expect(shown(view, frame(80, 6)).split("\n")[0]).toBe("src/a.ts +1 -2");
  view.take(key("tab"), 0);
  view.take(key("]"), 0);
  expect(shown(view, frame(80, 6)).split("\n")[0]).toBe("gone.txt (deleted) +0 -1");
  expect(shown(diffViewer({ title: "Changes", diff: "", keys: bound }))).toStartWith("No changes");
  expect(view.take(key("escape"), 0)).toEqual({ value: null });
});

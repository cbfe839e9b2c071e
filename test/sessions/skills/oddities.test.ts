// Files as public collections have them: each is listed with what its author meant, can be used, and what is wrong with it
// is one line with the fix.

import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, temporaryHome, type TemporaryHome } from "@keelson/testkit";
import { lastOf, listingsIn, play, textsOf } from "./skill-home.ts";

/** Name, file, and how it is listed. */
const FILES: readonly (readonly [string, string, string])[] = [
  [
    "skills/broken-lines",
    '---\ndescription: "Plans a re\\\n  lease \\u2014 and\\\n  \\ ships it"\n---\nGo',
    "Plans a release — and ships it",
  ],
  ["skills/colons", "---\ndescription: Use when: asked. Not for: tests\n---\nGo", "Use when: asked. Not for: tests"],
  ["skills/folded", "---\ndescription: >-\n  One\n  two\n\n  three\n---\nGo", "One two three"],
  ["skills/mark", "\ufeff---\r\ndescription: From Windows\r\n---\r\nGo\r\n", "From Windows"],
  ["skills/placeholder", "---\nname: {{NAME}}\ndescription: {{ABOUT}}\n---\nGo", "{{ABOUT}}"],
  ["skills/quoted-below", "---\ndescription:\n  'It''s below'\n---\nGo", "It's below"],
  ["skills/stays", "---\ndescription: Stays here\ncontext: inherit\n---\nGo", "Stays here"],
  ["skills/stray-zero", "---\ndescription: Costs R\0 a month\n---\nR\0 a month", "Costs R a month"],
  ["skills/untitled", "# Only a heading\n\nGo", "Only a heading"],
  ["commands/README.md", "# About these commands\n", "About these commands"],
  ["commands/dialogue.md", "---\ndescription: Talks\n<example>\nuser: hi\nuser: bye\n</example>\n---\nGo", "Talks"],
  [
    "commands/listed.md",
    '---\ndescription: Reads\nallowed-tools:\n  [\n    "Read",\n    # and\n    "Grep",\n  ]\n---\nGo',
    "Reads",
  ],
];

function collection(home: TemporaryHome): void {
  for (const [path, text] of FILES) home.write(`.claude/${path.endsWith(".md") ? path : `${path}/SKILL.md`}`, text);
  home.write(".claude/skills/INDEX.md", "# What is in here\n");
  for (const name of ["a", "b"]) home.write(`.claude/skills/group/${name}/SKILL.md`, "---\ndescription: x\n---\nGo");
  symlinkSync("../../moved", join(home.project, ".claude/skills/moved"));
}

test("all are listed as meant, and each can be used", async () => {
  using home = temporaryHome();
  collection(home);
  const { requests, code, stderr } = await play(home, "hi");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const [listing] = listingsIn(requests[0]!);
  const own = FILES.map(([path, , about]) => `- ${path.replace(/^\w+\/|\.md$/g, "")}: ${about}`);
  expect(listing!.split("\n").slice(0, own.length)).toEqual(own);

  const typed = await play(home, "/stray-zero now");
  expect(lastOf(typed.requests[0]!).at(-1)).toEndWith("R a month\n\nARGUMENTS: now");
  const { requests: called } = await play(home, "hi", [
    { calls: [{ name: "Skill", input: { skill: "broken-lines" } }] },
    { text: "done" },
  ]);
  expect(textsOf(called[1]!.body.messages.at(-1)).join("\n")).toContain("Launching skill: broken-lines");
});

test("skills validate names the fix for each", async () => {
  using home = temporaryHome();
  collection(home);
  const { code, stdout } = await runKeelson(["skills", "validate"], { home });
  expect(code).toBe(1);
  expect(stdout.replaceAll(home.project, "").split("\n")).toEqual([
    ".claude/skills/moved: error: it is a link to something that does not exist; correct or remove it",
    ".claude/commands/dialogue.md:3: warning: this line is not `key: value`, so it has no effect; indent it if it belongs to the value above",
    ".claude/commands/dialogue.md:5: warning: `user` appears twice and the last one is used; remove the other",
    ".claude/commands/dialogue.md:6: warning: this line is not `key: value`, so it has no effect; indent it if it belongs to the value above",
    ".claude/skills/group/a/SKILL.md: error: skills in subfolders are not found; move the 2 folders of group to /.claude/skills",
    '.claude/skills/placeholder/SKILL.md:1: warning: it is invoked as /placeholder; "{{NAME}}" cannot be typed, so use the name of the folder',
    ".claude/skills/untitled/SKILL.md:1: warning: there is no `description`, so the first line of the text is used; add one",
    "9 skills and 3 commands: 2 errors, 5 warnings",
    "",
  ]);
});

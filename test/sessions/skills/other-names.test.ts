// Skills are invoked by their folder, and by the name in their frontmatter.

import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { temporaryHome, type TemporaryHome } from "@keelson/testkit";
import { messagesOf, resultOf } from "../front-door.ts";
import { addSkill, invoke, lastOf, listingsIn, play, textsOf, trust } from "./skill-home.ts";

function addPlugin(home: TemporaryHome): readonly string[] {
  const put = (path: string, text: string) => home.write(`~/kit/${path}`, text);
  put(".claude-plugin/plugin.json", '{ "name": "kit" }');
  put("skills/folder/SKILL.md", "---\nname: title\ndescription: Two names\npaths: '*.kt'\n---\nText of folder");
  put("skills/plan/SKILL.md", "---\nname: plan\ndescription: The skill\n---\nText of the skill");
  put("commands/plan.md", "---\ndescription: The command\ndisable-model-invocation: true\n---\nText of the command");
  put("skills/status/SKILL.md", "---\nname: status\ndescription: Not the built-in command\n---\nText of status");
  return ["--plugin-dir", join(home.home, "kit")];
}

const typed = async (home: TemporaryHome, prompt: string, flags: readonly string[]) => {
  const { requests, ...ended } = await play(home, prompt, [{ text: "done" }], flags);
  return requests[0] ? textsOf(requests[0].body.messages.at(-1)).slice(-2) : [resultOf(ended).result];
};

test("a project's skill can be typed and called by the name in its frontmatter", async () => {
  using home = temporaryHome();
  addSkill(home, "folder", "name: title\ndescription: Two names", "Text of folder");
  addSkill(home, "odd", "name: Not For Typing\ndescription: One name");
  const { requests } = await play(home, "hi", [invoke("title"), { text: "done" }]);
  expect(listingsIn(requests[0]!)[0]).toStartWith("- folder (title): Two names\n- odd: One name\n");
  expect(lastOf(requests[1]!)).toEqual(["Launching skill: folder", expect.stringContaining("Text of folder")]);
  expect(await typed(home, "/title", [])).toEqual([
    expect.stringContaining("<command-name>/folder</command-name>"),
    expect.stringContaining("Text of folder"),
  ]);
});

test("a deny rule for either name holds", async () => {
  for (const rule of ["Skill(folder)", "Skill(title)"]) {
    using home = temporaryHome();
    addSkill(home, "folder", "name: title\ndescription: Two names", "Text of folder");
    home.write(".claude/settings.json", { permissions: { deny: [rule] } });
    const { requests } = await play(home, "hi", [invoke("folder"), invoke("title"), { text: "done" }]);
    expect(JSON.stringify(requests.slice(1).map(lastOf))).not.toContain("Text of folder");
  }
});

test("a plugin's skill has the name of its folder, and also its own name, with and without the plugin", async () => {
  using home = temporaryHome();
  const flags = addPlugin(home);
  for (const name of ["kit:folder", "kit:title", "title", "folder"]) {
    expect(await typed(home, `/${name}`, flags)).toEqual([
      expect.stringContaining("<command-name>/kit:folder</command-name>"),
      expect.stringContaining("Text of folder"),
    ]);
  }
  const calls = [invoke("kit:title"), invoke("title"), { text: "done" }];
  const { requests, messages } = await play(home, "hi", calls, flags);
  // `paths` has no effect in a plugin.
  expect(listingsIn(requests[0]!)[0]).toContain("- kit:folder (kit:title): Two names\n");
  expect(lastOf(requests[2]!)[0]).toBe("Launching skill: kit:folder");
  const [init] = messagesOf({ messages }, "system/init");
  expect(init.slash_commands).toContain("kit:folder");
  expect(init.slash_commands).not.toContain("kit:title");
});

test("no other name replaces a built-in command", async () => {
  using home = temporaryHome();
  const flags = addPlugin(home);
  expect((await typed(home, "/status", flags)).join()).not.toContain("Text of status");
  expect((await typed(home, "/kit:status", flags)).join()).toContain("Text of status");
});

test("people get a plugin's command, and the model the skill of its name if the command is not for it", async () => {
  using home = temporaryHome();
  const flags = addPlugin(home);
  expect((await typed(home, "/kit:plan", flags)).at(-1)).toBe("Text of the command");
  const { requests, messages } = await play(home, "hi", [invoke("kit:plan"), { text: "done" }], flags);
  expect(listingsIn(requests[0]!)[0]).toContain("- kit:plan: The skill\n");
  expect(lastOf(requests[1]!)).toEqual(["Launching skill: kit:plan", expect.stringContaining("Text of the skill")]);
  const [init] = messagesOf({ messages }, "system/init");
  expect(init.skills.filter((name: string) => name === "kit:plan")).toEqual(["kit:plan"]);
});

test("clients list a command among the skills if only people invoke it, and a long first line is cut", async () => {
  using home = temporaryHome();
  home.write(".claude/commands/release.md", "---\ndescription: Ship\ndisable-model-invocation: true\n---\nShip it");
  home.write(".claude/commands/note.md", `${"word ".repeat(40)}\n`);
  const { requests, messages } = await play(home, "hi");
  const [init] = messagesOf({ messages }, "system/init");
  expect(init.skills).toContain("release");
  expect(init.skills).not.toContain("note");
  expect(listingsIn(requests[0]!)[0]).toStartWith(`- note: ${"word ".repeat(19)}wo...\n`);
});

test("the folder of a linked skill is the link", async () => {
  using home = temporaryHome();
  trust(home);
  home.write(".agents/skills/shared/SKILL.md", "---\ndescription: Linked\n---\nIn ${CLAUDE_SKILL_DIR}");
  home.write(".claude/skills/own/SKILL.md", "---\ndescription: Own\n---\nx");
  symlinkSync("../../.agents/skills/shared", join(home.project, ".claude/skills/shared"));
  const folder = join(home.project, ".claude/skills/shared");
  expect((await typed(home, "/shared", [])).at(-1)).toBe(`Base directory for this skill: ${folder}\n\nIn ${folder}`);
});

// The index of a large folder: it changes nothing but the number of files that are opened.

import { expect, test } from "bun:test";
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { namesOf, skillWorld, type SkillWorld } from "../world.test-support.ts";

const later = () => Date.now() + 60_000;

/** Fifty skills, loaded once, with their index written. */
function indexedWorld() {
  const world = skillWorld();
  for (let at = 0; at < 50; at++) {
    const more =
      at === 7 ? "name: seven\nallowed-tools: Read\nhooks:\n  Stop:\n    - hooks:\n        - type: prompt\n" : "";
    world.skill(`home/.claude/skills/s-${at}`, `Skill ${at}`, more);
  }
  const first = world.open({ now: later });
  first.saveIndex();
  return { world, first };
}

const indexes = (world: SkillWorld) => {
  const folder = join(world.root, "home/.claude/cache/skills");
  return readdirSync(folder).map((name) => join(folder, name));
};

/** Changes the index as no one but the user could, with a correct checksum of the old text. */
function rewrite(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, "utf8")));
}

test("from the index, the same skills and problems come", () => {
  const { world, first } = indexedWorld();
  using _ = world;
  const second = world.open({ now: later });
  expect(second.skills).toEqual(first.skills);
  expect(second.problems).toEqual(first.problems);
  expect(second.problems.length).toBe(1);
  expect(second.changed()).toBeFalse();

  const [file] = indexes(world);
  expect(statSync(file!).mode & 0o777).toBe(0o600);
  expect(statSync(join(file!, "..")).mode & 0o777).toBe(0o700);
  const written = statSync(file!).mtimeMs;
  second.saveIndex();
  expect(statSync(file!).mtimeMs).toBe(written);
});

test("a file that changed is read again, and a removed one is gone", () => {
  const { world } = indexedWorld();
  using _ = world;
  world.skill("home/.claude/skills/s-3", "Something else");
  rmSync(join(world.root, "home/.claude/skills/s-4"), { recursive: true });
  world.skill("home/.claude/skills/new", "New");
  const set = world.open({ now: later });
  expect(set.skills.find(({ name }) => name === "s-3")?.description).toBe("Something else");
  expect(namesOf(set.skills)).not.toContain("s-4");
  expect(namesOf(set.skills)).toContain("new");
  set.saveIndex();
  expect(readFileSync(indexes(world)[0]!, "utf8")).toContain("Something else");
});

test("a file that was written a moment ago is not indexed, because it could change without a new stamp", () => {
  using world = skillWorld();
  for (let at = 0; at < 50; at++) world.skill(`home/.claude/skills/s-${at}`, "x");
  world.open().saveIndex();
  expect(readFileSync(indexes(world)[0]!, "utf8").split("\n").slice(1)).toEqual([
    '{"count":0,"folders":[],"items":[]}',
    "[]",
    "[]",
  ]);
});

test.each<[string, (path: string, world: SkillWorld) => void]>([
  ["is cut off", (path) => rewrite(path, (text) => text.slice(0, text.length / 2))],
  ["has a changed word", (path) => rewrite(path, (text) => text.replace("Skill 9", "Skill X"))],
  ["is of another version", (path) => rewrite(path, (text) => text.replace(/skills \d+/, "skills 0"))],
  ["is empty", (path) => writeFileSync(path, "")],
  ["can be read by others", (path) => chmodSync(path, 0o644)],
  [
    "is a link",
    (path, world) => {
      const other = world.put("copy.json", readFileSync(path, "utf8").replace("Skill 9", "Skill X"));
      rmSync(path);
      symlinkSync(other, path);
    },
  ],
])("an index that %s is not used, and is written again", (_, damage) => {
  const { world, first } = indexedWorld();
  using _world = world;
  const [path] = indexes(world);
  const good = readFileSync(path!, "utf8");
  damage(path!, world);
  const set = world.open({ now: later });
  expect(set.skills).toEqual(first.skills);
  set.saveIndex();
  expect(readFileSync(path!, "utf8")).toBe(good);
  expect(statSync(path!).mode & 0o777).toBe(0o600);
});

test("small folders have no index, and a cache that cannot be written is no error", () => {
  using world = skillWorld();
  world.skill("home/.claude/skills/one", "x");
  world.open({ now: later }).saveIndex();
  expect(readdirSync(join(world.root, "home/.claude"))).toEqual(["skills"]);
  for (let at = 0; at < 50; at++) world.skill(`home/.claude/skills/s-${at}`, "x");
  world.put("home/.claude/cache", "a file where the folder should be");
  const set = world.open({ now: later });
  set.saveIndex();
  expect(set.skills.length).toBe(51);
});

/** A folder so large that its index is believed. */
function believedWorld() {
  const world = skillWorld();
  for (let at = 0; at < 120; at++) {
    const more =
      at === 7 ? "name: seven\nallowed-tools: Read\nhooks:\n  Stop:\n    - hooks:\n        - type: prompt\n" : "";
    world.skill(`home/.claude/skills/s-${at}`, `Skill ${at}`, at === 8 ? "paths: src/**\n" : more);
  }
  world.put("home/.claude/skills/empty/notes.md", "x");
  world.open({ now: later }).saveIndex();
  return world;
}

test("a large folder is believed to be as it was, with the same skills", () => {
  using world = believedWorld();
  const read = world.open({ now: later });
  const believed = world.open({ now: later, quick: true });
  expect(believed.skills).toEqual(read.skills);
  expect(believed.dormant).toEqual(read.dormant);
  expect(believed.changed()).toBeFalse();
  expect(believed.skills.every((skill) => believed.isCurrent(skill))).toBeTrue();
});

test("a believed file that changed is noticed before it is used, and read when the set is loaded again", () => {
  using world = believedWorld();
  world.skill("home/.claude/skills/s-3", "Something else", "allowed-tools: Bash\n");
  const believed = world.open({ now: later, quick: true });
  const [old, same] = ["s-3", "s-4"].map((name) => believed.skills.find((skill) => skill.name === name)!);
  expect(old).toMatchObject({ description: "Skill 3", allowedTools: [] });
  expect([believed.isCurrent(old!), believed.isCurrent(same!), believed.changed()]).toEqual([false, true, true]);
  const fresh = believed.reload().skills.find(({ name }) => name === "s-3");
  expect(fresh).toMatchObject({ description: "Something else", allowedTools: ["Bash"] });
  believed.saveIndex();
  const again = world.open({ now: later, quick: true });
  expect(again.skills.find(({ name }) => name === "s-3")?.description).toBe("Something else");
});

test("added and removed skills are noticed at once, also in a folder that had no SKILL.md", () => {
  using world = believedWorld();
  world.skill("home/.claude/skills/new", "New");
  expect(namesOf(world.open({ now: later, quick: true }).skills)).toContain("new");
  world.open({ now: later }).saveIndex();
  rmSync(join(world.root, "home/.claude/skills/s-5"), { recursive: true });
  expect(namesOf(world.open({ now: later, quick: true }).skills)).not.toContain("s-5");
  world.open({ now: later }).saveIndex();
  world.skill("home/.claude/skills/empty", "Filled");
  expect(namesOf(world.open({ now: later, quick: true }).skills)).toContain("empty");
});

test("an index is believed only where links may lead as far as when it was written", () => {
  using world = skillWorld();
  world.skill("project/shared/linked", "Linked");
  for (let at = 0; at < 120; at++) world.skill(`project/app/.claude/skills/s-${at}`, `Skill ${at}`);
  symlinkSync(join(world.root, "project/shared/linked"), join(world.root, "project/app/.claude/skills/linked"));
  const names = (quick: boolean) => namesOf(world.open({ cwd: "project/app", now: later, quick }).skills);
  world.trust("project/app");
  world.open({ cwd: "project/app", now: later }).saveIndex();
  expect(names(true)).toContain("linked");
  world.trust();
  expect([names(true).includes("linked"), names(false).includes("linked")]).toEqual([false, false]);
});

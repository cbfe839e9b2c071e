// A believed folder gives the same skills as its files, whatever else there is: names, links, settings and plugins decide.

import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { groupSkills } from "./skill-groups.ts";
import { namesOf, problemsOf, skillWorld, type OpenOptions, type SkillWorld } from "../world.test-support.ts";

const later = () => Date.now() + 60_000;

/** Two folders that are large enough to be believed. */
function largeWorld(): SkillWorld {
  const world = skillWorld();
  for (let at = 0; at < 110; at++) {
    world.skill(`project/.claude/skills/s-${at}`, `Skill ${at}`, MORE[at]);
    world.put(`project/.claude/commands/c-${at % 3}/c-${at}.md`, at % 7 === 0 ? `Command ${at}` : TYPED);
  }
  world.skill("project/.claude/skills/größe ５", "Groß");
  return world;
}

const TYPED = `---\ndescription: Does one thing\nargument-hint: "[what]"\n---\n$ARGUMENTS\n`;
/** One of each kind that a group is split by, or that is in no group. */
const MORE: Readonly<Record<number, string>> = {
  3: "disable-model-invocation: true\n",
  4: "user-invocable: false\n",
  5: "name: Fünf – ５\nallowed-tools: Read, Bash(git log:*)\nmodel: haiku\n",
  6: "when_to_use: für „alles“\narguments: [a, b]\ncontext: fork\nagent: Plan\nshell: powershell\n",
  7: "hooks:\n  Stop:\n    - hooks:\n        - type: prompt\n",
  8: "paths: src/**\n",
  9: "effort: odd\n",
};

/** What a session gets when it believes the indexes, next to what it gets when it reads the files. */
function both(world: SkillWorld, options: OpenOptions = {}) {
  const opened = (quick: boolean) => {
    const set = world.open({ now: later, quick, ...options });
    const members = set.groups.flatMap(({ names, ...traits }) => names.map((name) => ({ ...traits, name })));
    const { skills, dormant } = set;
    const shadowed = set.problems.filter(({ kind }) => kind !== "unused");
    return { groups: groupSkills(members), skills, dormant, shadowed };
  };
  return { read: opened(false), believed: opened(true) };
}

test.each<[string, (world: SkillWorld) => OpenOptions | void]>([
  ["nothing else is there", () => undefined],
  ["the folder is trusted", (world) => world.trust("project")],
  ["the user has a skill of the same name", (world) => void world.skill("home/.claude/skills/s-20", "The user's")],
  ["the user has other skills", (world) => void world.skill("home/.claude/skills/other", "The user's")],
  [
    "two names are spelled alike",
    (world) => void world.put("project/.claude/commands/c-1:c-1.md", "Another of the same name"),
  ],
  [
    "a link leads to another skill of the folder",
    (world) => {
      symlinkSync(join(world.root, "project/.claude/skills/s-90"), join(world.root, "project/.claude/skills/a-link"));
      symlinkSync(join(world.root, "project/.claude/skills/s-1"), join(world.root, "project/.claude/skills/z-link"));
    },
  ],
  ["a command has the name of a skill", (world) => void world.put("project/.claude/commands/s-20.md", TYPED)],
  [
    "a command is a link to a skill",
    (world) => {
      const skill = join(world.root, "project/.claude/skills/s-50/SKILL.md");
      symlinkSync(skill, join(world.root, "project/.claude/commands/linked.md"));
    },
  ],
  [
    "the user's skill is a link to one of them",
    (world) => {
      mkdirSync(join(world.root, "home/.claude/skills"), { recursive: true });
      symlinkSync(join(world.root, "project/.claude/skills/s-1"), join(world.root, "home/.claude/skills/mine"));
    },
  ],
  [
    "settings turn one off and limit others",
    (world) => {
      const skillOverrides = { "s-1": "off", "s-2": "user-invocable-only", "c-1:c-4": "name-only" };
      world.put("home/.claude/settings.json", { skillOverrides });
    },
  ],
])("the same skills come from files and from indexes if %s", (_, arrange) => {
  using world = largeWorld();
  const options = arrange(world) ?? {};
  world.open({ now: later, ...options }).saveIndex();
  const { read, believed } = both(world, options);
  expect(believed).toEqual(read);
  expect(believed.skills.length).toBeGreaterThan(200);
  expect(groupSkills(believed.skills)).toEqual(believed.groups);
});

test("a plugin in a believed folder is no skill", () => {
  using world = largeWorld();
  world.open({ now: later }).saveIndex();
  const root = join(world.root, "project/.claude/skills/s-30");
  const plugin = { name: "p", id: "p@skills", root, data: join(world.root, "data") };
  const nothing = { skills: [], skillFolders: [], commandFiles: [], commandFolders: [], agents: [] };
  const plugins = [{ ...plugin, ...nothing }] as unknown as NonNullable<OpenOptions["plugins"]>;
  const { read, believed } = both(world, { plugins });
  expect(believed).toEqual(read);
  expect(namesOf(believed.skills)).not.toContain("s-30");
});

test("a rule that came later also holds for a link in a believed folder", () => {
  using world = largeWorld();
  world.skill("project/shared/linked", "Linked");
  symlinkSync(join(world.root, "project/shared/linked"), join(world.root, "project/.claude/skills/linked"));
  world.open({ now: later }).saveIndex();
  expect(namesOf(world.open({ now: later, quick: true }).skills)).toContain("linked");
  const isDenied = (path: string) => path.includes("/shared/");
  const believed = world.open({ now: later, quick: true, isDenied });
  expect(namesOf(believed.skills)).not.toContain("linked");
  expect(problemsOf(world, believed.problems)).toContain(
    "unused project/.claude/skills/linked/SKILL.md it links to a file that a rule denies reading",
  );
});

test("a skill below the folder gets another name if a believed one has its own", () => {
  using world = largeWorld();
  world.open({ now: later }).saveIndex();
  world.skill("project/app/.claude/skills/s-1", "Nested");
  const touched = (quick: boolean) => {
    const set = world.open({ now: later, quick });
    const added = namesOf(set.touched(world.put("project/app/src/x.ts", "")));
    return { added, last: set.skills.at(-1)?.name, count: set.skills.length, groups: set.groups.at(-1)?.names };
  };
  expect(touched(true)).toEqual(touched(false));
  expect(touched(true).added).toEqual(["app:s-1"]);
});

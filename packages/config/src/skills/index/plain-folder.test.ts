// What is remembered of a large skills folder: that none of its folders is a plugin.

import { expect, test } from "bun:test";
import { chmodSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { activeIds, pluginWorld } from "../../plugins/world.test-support.ts";
import { loadSkills } from "../load-skills.ts";

const later = () => Date.now() + 60_000;
type World = ReturnType<typeof pluginWorld>;

function largeWorld(): World {
  const world = pluginWorld();
  for (let at = 0; at < 120; at++) world.put(`home/.claude/skills/s-${at}/SKILL.md`, `---\ndescription: ${at}\n---\n`);
  remember(world);
  return world;
}

const remember = (world: World) => loadSkills(world.start(), { now: later }).saveIndex();
const found = (world: World, quick: boolean) => activeIds(world.start({}, { quick }));
const cached = (world: World) =>
  readdirSync(join(world.root, "home/.claude/cache/skills"))
    .filter((name) => name.endsWith(".plain"))
    .map((name) => join(world.root, "home/.claude/cache/skills", name));
const addPlugin = (world: World, name: string) => void world.plugin(`home/.claude/skills/${name}`, { name });

test("a start believes it; everything else looks, and so does the start after it", () => {
  using world = largeWorld();
  expect(cached(world)).toHaveLength(1);
  addPlugin(world, "s-7");
  expect([found(world, true), found(world, false)]).toEqual([[], ["s-7@skills-dir"]]);
  remember(world);
  expect(cached(world)).toEqual([]);
  expect(found(world, true)).toEqual(["s-7@skills-dir"]);
  rmSync(join(world.root, "home/.claude/skills/s-7/.claude-plugin"), { recursive: true });
  remember(world);
  expect([found(world, true), cached(world).length]).toEqual([[], 1]);
});

test("an added folder is noticed at once", () => {
  using world = largeWorld();
  addPlugin(world, "added");
  expect(found(world, true)).toEqual(["added@skills-dir"]);
});

test("what others can write is not believed", () => {
  using world = largeWorld();
  addPlugin(world, "s-7");
  chmodSync(cached(world)[0]!, 0o666);
  expect(found(world, true)).toEqual(["s-7@skills-dir"]);
});

test("nothing is remembered of a small folder, or of one that was changed a moment ago", () => {
  using small = pluginWorld();
  small.put("home/.claude/skills/one/SKILL.md", "---\ndescription: x\n---\n");
  remember(small);
  expect(readdirSync(join(small.root, "home/.claude"))).toEqual(["skills"]);
  using large = largeWorld();
  addPlugin(large, "s-7");
  remember(large);
  rmSync(join(large.root, "home/.claude/skills/s-7"), { recursive: true });
  loadSkills(large.start()).saveIndex();
  expect(cached(large)).toEqual([]);
});

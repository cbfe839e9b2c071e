// The index of a large folder of agents: it changes nothing but the number of files that are opened.

import { expect, test } from "bun:test";
import { existsSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentWorld } from "./world.test-support.ts";

const later = () => Date.now() + 60_000;
const COUNT = 120;

function indexedWorld() {
  const world = agentWorld();
  for (let at = 0; at < COUNT; at++) {
    const more =
      at === 7 ? "permissionMode: odd\nhooks:\n  Stop:\n    - hooks:\n        - type: prompt\n" : "tools: Read\n";
    world.agent(`home/.claude/agents/a-${at}.md`, `agent-${at}`, `Agent ${at}`, more);
  }
  world.put("home/.claude/agents/notes.md", "# Notes");
  const outside = world.agent("dotfiles/linked.md", "linked");
  symlinkSync(outside, join(world.root, "home/.claude/agents/linked.md"));
  const first = world.agents({ now: later });
  first.saveIndex();
  return { world, first, outside };
}

const cacheOf = (world: { readonly root: string }) => join(world.root, "home/.claude/cache/skills");

test("from the index, the same agents and problems come", () => {
  const { world, first, outside } = indexedWorld();
  using _ = world;
  expect(readdirSync(cacheOf(world))).toHaveLength(1);
  const file = join(world.root, "home/.claude/agents/a-3.md");
  const second = world.agents({ now: later });
  expect(second.list()).toEqual(first.list());
  expect(second.list()).toHaveLength(COUNT + 1);
  expect(second.problems).toEqual(first.problems);
  expect(second.areChanged()).toBeFalse();
  expect(second.find("agent-3")?.file).toBe(file);
  expect(second.find("linked")?.file).toBe(outside);
});

test("a change is noticed, and read", () => {
  const { world } = indexedWorld();
  using _ = world;
  world.agent("home/.claude/agents/a-3.md", "agent-3", "Something else");
  const set = world.agents({ now: later });
  expect(set.areChanged()).toBeTrue();
  expect(set.reload().find("agent-3")?.description).toBe("Something else");
  set.saveIndex();
  expect(world.agents({ now: later }).find("agent-3")?.description).toBe("Something else");
  rmSync(join(world.root, "home/.claude/agents/a-4.md"));
  world.agent("home/.claude/agents/new.md", "new");
  const names = world
    .agents({ now: later })
    .list()
    .map(({ name }) => name);
  expect(names).not.toContain("agent-4");
  expect(names).toContain("new");
});

test("an index does not get around a rule, and a broken one is not used", () => {
  const { world, first, outside } = indexedWorld();
  using _ = world;
  const denied = world.agents({ now: later, isDenied: (path) => path === outside });
  expect(denied.find("linked")).toBeUndefined();
  const [index] = readdirSync(cacheOf(world));
  writeFileSync(join(cacheOf(world), index!), "keelson skills 2 x\n{}");
  expect(world.agents({ now: later }).list()).toEqual(first.list());
});

test("a small folder has no index", () => {
  using world = agentWorld();
  for (let at = 0; at < 5; at++) world.agent(`home/.claude/agents/a-${at}.md`, `agent-${at}`);
  world.agents({ now: later }).saveIndex();
  expect(existsSync(cacheOf(world))).toBeFalse();
});

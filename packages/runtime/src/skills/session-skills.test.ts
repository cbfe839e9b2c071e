// What a first request needs of skills: their names, and the rest only if there is room for it.

import { expect, test } from "bun:test";
import type { Snapshot } from "@keelson/config";
import { groupSkills } from "@keelson/config/skill-groups";
import type { SkillSet } from "@keelson/config/skills";
import type { Skill } from "@keelson/protocol";
import { SessionSkills } from "./session-skills.ts";

function skill(name: string, more: Partial<Skill> = {}): Skill {
  const places = { file: `/x/${name}/SKILL.md`, folder: `/x/${name}`, base: "/x", hooks: [] };
  const lists = { argumentNames: [], allowedTools: [], disallowedTools: [] };
  const invocable = { userInvocable: true, modelInvocable: true, shell: "bash" } as const;
  return {
    name,
    kind: "skill",
    source: "project",
    description: `About ${name}`,
    ...places,
    ...lists,
    ...invocable,
    ...more,
  };
}

const bundled = [
  skill("debug", { source: "bundled" }),
  skill("loop", { source: "bundled", modelInvocable: false }),
  skill("review", { source: "bundled" }),
];

/** Counts how often the skills themselves are asked for. */
function sessionSkills(found: readonly Skill[], settings: Snapshot["settings"] = {}, hidden: readonly Skill[] = []) {
  let asked = 0;
  const set: SkillSet = {
    get skills() {
      asked++;
      return found;
    },
    groups: groupSkills(found),
    dormant: [],
    hidden,
    problems: [],
    touched: () => [],
    changed: () => false,
    isCurrent: () => true,
    saveIndex: () => undefined,
    reload: () => set,
  };
  const skills = new SessionSkills({
    snapshot: () => ({ settings, env: {}, cwd: "/x" }) as unknown as Snapshot,
    load: () => set,
    bundled,
    contextWindow: () => 200_000,
    isOffered: () => true,
    newId: () => "id",
  });
  return { skills, asked: () => asked };
}

const contentOf = (skills: SessionSkills) => {
  const entry = skills.takeListing();
  return entry?.type === "attachment"
    ? (entry.attachment as unknown as { content: string; names: string[] })
    : undefined;
};

test("names are enough for a thousand skills", () => {
  const found = Array.from({ length: 1_000 }, (_, at) => skill(`skill-number-${at}`));
  const { skills, asked } = sessionSkills(found);
  const names = found.map(({ name }) => name);
  expect(skills.clientNames().commands).toEqual([...names, "debug", "loop", "review"]);
  const { content, names: told } = contentOf(skills)!;
  expect(told).toEqual([...names, "debug", "review"]);
  expect(content).toContain("\n- skill-number-7\n");
  expect(content).toContain("\n- debug: About debug\n- review: About review\n");
  expect(asked()).toBe(0);
  expect(contentOf(skills)).toBeUndefined();

  expect(skills.find("skill-number-7")).toBe(found[7]!);
  expect(skills.told().skills).toHaveLength(1_002);
  expect(asked()).toBe(1);
});

test("a few are listed with their descriptions, before those that come with Keelson", () => {
  const found = [
    skill("a"),
    skill("hidden", { modelInvocable: false }),
    skill("for-model", { userInvocable: false }),
    skill("review", { description: "The project's own" }),
    skill("typed", { kind: "command", describedByText: true }),
    skill("compact", { untrusted: true }),
  ];
  const { skills } = sessionSkills(found);
  expect(contentOf(skills)).toMatchObject({
    content: [
      "The following skills are available for use with the Skill tool:\n",
      "- a: About a",
      "- for-model: About for-model",
      "- review: The project's own",
      "- typed: About typed",
      "- compact: About compact",
      "- debug: About debug",
    ].join("\n"),
  });
  expect(skills.clientNames()).toEqual({
    commands: ["a", "hidden", "review", "typed", "project:compact", "debug", "loop"],
    skills: ["a", "hidden", "review", "compact", "debug", "loop"],
  });
  expect(skills.clientCommands().map(({ name }) => name)).toEqual([...skills.clientNames().commands]);
  expect(skills.clientSkills().map(({ name }) => name)).toEqual([...skills.clientNames().skills]);
});

test("settings turn skills off, hide them from the model and list names alone", () => {
  const skillOverrides = { a: "off", b: "user-invocable-only", c: "name-only", debug: "name-only", review: "off" };
  const { skills } = sessionSkills([skill("a"), skill("b"), skill("c")], { skillOverrides } as Snapshot["settings"]);
  expect(contentOf(skills)?.content.split("\n").slice(2)).toEqual(["- c", "- debug"]);
  expect(skills.clientNames().commands).toEqual(["b", "c", "debug", "loop"]);
});

test("a client limits the model to some", () => {
  const { skills } = sessionSkills([skill("a"), skill("b")]);
  skills.limitTo(["b", "review"]);
  expect(contentOf(skills)?.names).toEqual(["b", "review"]);
  skills.limitTo(["a", "b"]);
  expect(contentOf(skills)?.names).toEqual(["a"]);
});

test("a plugin's notes are not listed, and what its commands hide is listed to clients", () => {
  const plugin = { name: "p", id: "p@m", root: "/p", data: "/d" };
  const found = [
    skill("p:note", { source: "plugin", plugin, describedByText: true }),
    skill("p:used", { source: "plugin", plugin, describedByText: true, whenToUse: "always" }),
    skill("p:go", { source: "plugin", plugin, kind: "command" }),
  ];
  const { skills } = sessionSkills(found, {}, [skill("p:go", { source: "plugin", plugin })]);
  expect(contentOf(skills)?.names).toEqual(["p:used", "p:go", "debug", "review"]);
  expect(skills.clientNames()).toEqual({
    commands: ["p:note", "p:used", "p:go", "debug", "loop", "review"],
    skills: ["debug", "loop", "review", "p:go"],
  });
});

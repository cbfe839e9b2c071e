import { expect, test } from "bun:test";
import { fillPlaceholders, inlineCommands } from "@keelson/engine/skills";
import { bundledSkills } from "./bundled.ts";
import { TEXTS } from "./texts.ts";

const skills = bundledSkills();

test("every bundled skill is complete, grants nothing, and has a text", () => {
  expect(skills.find(({ name }) => name === "init")).toEqual({
    name: "init",
    kind: "skill",
    source: "bundled",
    file: "bundled:init",
    folder: "",
    base: "",
    description: expect.any(String),
    argumentHint: "[what to include]",
    argumentNames: [],
    allowedTools: [],
    disallowedTools: [],
    userInvocable: true,
    modelInvocable: true,
    hooks: [],
    shell: "bash",
  });
  expect(skills.map(({ name }) => name).toSorted()).toEqual(Object.keys(TEXTS).toSorted());
});

test("the model may choose some of them, listed in the order of the reference: init and the reviews last", () => {
  const listed = skills.filter(({ modelInvocable }) => modelInvocable).map(({ name }) => name);
  expect(listed).toEqual(["debug", "simplify", "update-config", "init", "review", "security-review"]);
});

for (const { name, description, argumentHint } of skills) {
  test(`${name} is described in one line that fits every request`, () => {
    expect(description).toMatch(/^[A-Z][\x20-\x7E]{58,158}[^.\s]$/);
    expect(argumentHint).toMatch(/^[[<][\x20-\x7E]{3,40}$/);
  });

  test(`the text of ${name} can be read in one go and uses what the user typed`, () => {
    const { text } = TEXTS[name]!;
    const lines = text.trimEnd().split("\n");
    expect(lines.length).toBeGreaterThan(40);
    expect(lines.length).toBeLessThan(125);
    expect(text.length).toBeLessThan(8_000);
    const empty = fillPlaceholders(text, { raw: "", names: [], variables: {} });
    const filled = fillPlaceholders(text, { raw: "TYPED BY THE USER", names: [], variables: {} });
    expect(filled.text.split("TYPED BY THE USER")).toHaveLength(2);
    expect(empty.text).toBe(text.replace("$ARGUMENTS", ""));
  });

  // A failing command would end the invocation, outside a repository for example; a mention would read a file.
  test(`the text of ${name} runs no inline command and mentions no file`, () => {
    const { text } = TEXTS[name]!;
    expect([...inlineCommands(text)]).toEqual([]);
    expect(text).not.toContain("@");
  });
}

test("a text names each of its reference files, and they are small", () => {
  for (const { text, files = {} } of Object.values(TEXTS)) {
    for (const [name, content] of Object.entries(files)) {
      expect(text).toContain(`\`${name}\``);
      expect(content.length).toBeGreaterThan(1_000);
      expect(content.length).toBeLessThan(8_000);
    }
  }
});

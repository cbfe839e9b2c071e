// Bundled skills through the front door, in a folder that is not a repository and has no files.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { runKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { bundledSkills } from "../../../packages/runtime/src/skills/bundled/bundled.ts";
import { TEXTS } from "../../../packages/runtime/src/skills/bundled/texts.ts";

test("every bundled skill can be typed, and the model reads its text with what the user typed", async () => {
  const skills = bundledSkills();
  const said = await Promise.all(
    skills.map(async ({ name }) => {
      using home = temporaryHome();
      await using model = await startMockModel([{ text: "ok" }]);
      const { stdout, code } = await runKeelson(["-p", `/${name} the "main" part`], { home, url: model.url });
      const text = TEXTS[name]!.text.replace("$ARGUMENTS", 'the "main" part').trim();
      const isSent = JSON.stringify(model.requests[0]?.body).includes(JSON.stringify(text).slice(1, -1));
      return { name, stdout, code, isSent };
    }),
  );
  expect(said).toEqual(skills.map(({ name }) => ({ name, stdout: "ok\n", code: 0, isSent: true })));
});

test("the model invokes one that is listed, and cannot invoke one that only the user starts", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    { calls: [{ name: "Skill", input: { skill: "simplify" } }] },
    { calls: [{ name: "Skill", input: { skill: "loop" } }] },
    { text: "ok" },
  ]);
  const { stdout, code } = await runKeelson(["-p", "tidy up"], { home, url: model.url });
  expect({ stdout, code }).toEqual({ stdout: "ok\n", code: 0 });
  const [first, second, third] = model.requests.map(({ body }) => JSON.stringify(body));
  for (const { name, description, modelInvocable } of bundledSkills()) {
    const line = JSON.stringify(`- ${name}: ${description}`).slice(1, -1);
    expect({ name, listed: first!.includes(line) }).toEqual({ name, listed: modelInvocable });
  }
  expect(second).toContain("Make a change simpler without changing what it does");
  expect(third).toContain(
    "Skill loop cannot be used with Skill tool due to disable-model-invocation. Only the user can invoke it, by typing /loop",
  );
  expect(third).not.toContain("Repeat a task in this session until");
});

test("the model reads the reference files of a skill without approval, and they are gone afterwards", async () => {
  using home = temporaryHome();
  let folder = "";
  await using model = await startMockModel([
    { calls: [{ name: "Skill", input: { skill: "update-config", args: "format after edits" } }] },
    ({ messages }) => {
      folder = /Base directory for this skill: ([^\\"]+)/.exec(JSON.stringify(messages))?.[1] ?? "not found";
      return { calls: [{ name: "Read", input: { file_path: join(folder, "hooks.md") } }] };
    },
    { text: "ok" },
  ]);
  const { stdout, code } = await runKeelson(["-p", "format after edits"], { home, url: model.url });
  expect({ stdout, code }).toEqual({ stdout: "ok\n", code: 0 });
  expect(JSON.stringify(model.requests[2]!.body)).toContain("A hook is a program that runs at a certain point");
  expect(basename(folder)).toMatch(/^[0-9a-f]{32}$/);
  expect(existsSync(folder)).toBe(false);
});

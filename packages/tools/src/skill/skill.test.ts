import { expect, test } from "bun:test";
import { ToolError, validateInput } from "@keelson/engine";
import type { NewEntry } from "@keelson/protocol";
import { answer, toolWorld } from "../tool-world.test-support.ts";
import { skillTool, type SkillKeeper, type SkillOutput } from "./skill.ts";

const body: NewEntry = { type: "user", uuid: "u", isMeta: true, message: { role: "user", content: "Do it" } };

function keeper(output: Partial<SkillOutput> = {}): { kept: SkillKeeper; asked: string[][] } {
  const asked: string[][] = [];
  const kept: SkillKeeper = {
    find(name) {
      if (name !== "deploy") throw new ToolError(`Unknown skill: ${name}`);
      return { name, others: ["ship"], adds: true };
    },
    async invoke(...call) {
      asked.push(call);
      return { output: { success: true, commandName: "deploy", ...output }, entries: [body] };
    },
  };
  return { kept, asked };
}

test("the instructions follow the result", async () => {
  using world = toolWorld();
  const { kept, asked } = keeper();
  const tool = skillTool(kept);
  const followed: NewEntry[] = [];
  const context = { ...world.context, follow: (entry: NewEntry) => void followed.push(entry) };

  expect(await answer(tool, { skill: "deploy", args: "prod eu" }, context)).toBe("Launching skill: deploy");
  expect(followed).toEqual([body]);
  expect(asked).toEqual([["deploy", "prod eu", world.context.toolUseId]]);
  expect(tool.access({ skill: "deploy" }, world.context)).toEqual({
    kind: "skill",
    skill: "deploy",
    others: ["ship"],
    adds: true,
  });
});

test("a slash before the name is accepted, and an unknown name is refused before anyone is asked", () => {
  using world = toolWorld();
  const tool = skillTool(keeper().kept);
  expect(validateInput(tool, { skill: " /deploy" })).toEqual({ ok: true, input: { skill: "deploy" } });
  expect(() => tool.check!({ skill: "x" }, world.context)).toThrow("Unknown skill: x");
});

test("a skill that ran in a subagent shows its result", () => {
  const { kept } = keeper();
  const output: SkillOutput = { success: true, commandName: "deploy", status: "forked", agentId: "a", result: "Done" };
  expect(skillTool(kept).show(output)).toBe('Skill "deploy" completed (forked execution).\n\nResult:\nDone');
});

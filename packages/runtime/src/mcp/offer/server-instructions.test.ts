import { expect, test } from "bun:test";
import { ServerInstructions } from "./server-instructions.ts";

const early = { name: "early", instructions: "Say please." };
const late = { name: "late", instructions: "Say thanks." };

test("instructions of late servers are told in the conversation, and once more when that is gone", () => {
  const instructions = new ServerInstructions();
  const own = ["system"];
  expect(instructions.update(own, [early]).system.join()).toContain("Say please.");
  expect(instructions.again()).toBeUndefined();
  const { system, notice } = instructions.update(own, [early, late]);
  expect(system.join()).not.toContain("Say thanks.");
  expect(notice).toContain("Say thanks.");
  expect(instructions.update(own, [early, late]).notice).toBeUndefined();
  expect(instructions.again()).toBe(notice!);

  // With a new system prompt, all of them are in it.
  expect(instructions.update(["another"], [early, late]).system.join()).toContain("Say thanks.");
  expect(instructions.again()).toBeUndefined();
});

test("a system prompt that was sent stays as it is; all instructions are then told in the conversation", () => {
  const instructions = new ServerInstructions();
  const own = ["system"];
  instructions.began(own);
  expect(instructions.late([late])).toContain("Say thanks.");
  expect(instructions.update(own, [late])).toEqual({ system: own });
  expect(instructions.update(own, [late, early])).toEqual({ system: own, notice: expect.stringContaining("please") });
});

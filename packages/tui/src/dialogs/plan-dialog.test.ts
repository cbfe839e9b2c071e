import { expect, test } from "bun:test";
import type { JsonObject } from "@keelson/protocol";
import { press, screenOf } from "../widgets/panel.test-support.ts";
import { asks, dialogFor, responseOf } from "./dialog.test-support.ts";

const input = { plan: "1. Look\n2. Do", planFilePath: "/home/u/.claude/plans/calm-bird.md" };
const plan = asks("ExitPlanMode", input);
const approved = (mode: string, updatedInput: JsonObject = input) => ({
  behavior: "allow",
  updatedInput,
  updatedPermissions: [{ type: "setMode", mode, destination: "session" }],
});
const no = { behavior: "deny", message: expect.stringContaining("Stop"), interrupt: true };

test.each([
  ["1 Enter", "1 enter", approved("acceptEdits")],
  ["Enter", "enter", approved("acceptEdits")],
  ["2 Enter", "2 enter", approved("default")],
  [
    "a text",
    "'maybe use a branch' enter",
    { behavior: "deny", message: expect.stringContaining("maybe use a branch") },
  ],
  ["Esc", "escape", no],
  ["keep planning without a word", "3 enter", no],
  ["what to change", "3 'less of 1' enter", { behavior: "deny", message: expect.stringContaining("less of 1") }],
])("%s", (_, keys, response) => {
  expect(responseOf(press(dialogFor(plan), keys))).toEqual(response);
});

test("Shift+Tab approves with the text", () => {
  expect(press(dialogFor(plan), "3 'but test it' shift+tab")).toEqual({
    kind: "reply",
    response: approved("acceptEdits"),
    effects: [{ kind: "prompt", text: "but test it" }],
  });
});

test("Ctrl+G lets the user edit the plan, and the edited plan is approved", () => {
  expect(press(dialogFor(plan), "ctrl+g")).toEqual({ kind: "edit-plan", plan: input.plan, path: input.planFilePath });
  const again = dialogFor(plan, { plan: "1. Ask" });
  expect(screenOf(again)).toContain("│ 1. Ask\n");
  expect(responseOf(press(again, "2 enter"))).toEqual(approved("default", { ...input, plan: "1. Ask" }));
});

test.each([
  ["1 enter", approved("default", {})],
  ["2 enter", no],
  ["'yes' enter", no],
  ["escape", no],
])("without a plan, %s is all that is asked", (keys, response) => {
  const empty = asks("ExitPlanMode", {});
  expect(screenOf(dialogFor(empty))).not.toContain("3.");
  expect(responseOf(press(dialogFor(empty), keys))).toEqual(response);
});

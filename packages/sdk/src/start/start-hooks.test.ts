import { expect, test } from "bun:test";
import { StartHooks } from "./start-hooks.ts";

test("the time of start hooks counts once, however many run at the same time", () => {
  let now = 0;
  const hooks = new StartHooks(() => now);
  const at = (time: number, subtype: string, hook_id: string, hook_event = "SessionStart") => {
    now = time;
    hooks.onMessage({ type: "system", subtype, hook_id, hook_event });
    return hooks.ms;
  };
  expect(at(10, "hook_started", "a")).toBe(0);
  expect(at(15, "hook_started", "b", "Setup")).toBe(5);
  expect(at(20, "hook_response", "a")).toBe(10);
  expect(at(30, "hook_response", "b", "Setup")).toBe(20);
  expect(at(40, "hook_started", "c", "PreToolUse")).toBe(20);
  expect(at(50, "hook_started", "d")).toBe(20);
  now = 57;
  expect(hooks.ms).toBe(27);
});

import { expect, test } from "bun:test";
import { application, canUseTool, sessions, tell, warm, watchAll, weather } from "./application.test-support.ts";
import { EXIT_REASONS, HOOK_EVENTS, type HookInput } from "./index.ts";

test("an application written for the official SDK works with this SDK", async () => {
  // The test is that it compiles; these parts also run without a program.
  expect([application, sessions, warm].map((each) => typeof each)).toEqual(["function", "function", "function"]);
  expect(weather).toMatchObject({ type: "sdk", name: "weather" });
  const asked = { signal: new AbortController().signal, toolUseID: "toolu_1", requestId: "r1" };
  expect(await canUseTool("Bash", { command: "curl x" }, asked)).toMatchObject({ behavior: "deny" });
  expect(tell({ type: "keep_alive" } as never)).toBe("keep_alive");
});

test("the constants have the values that callers compare with", () => {
  const seen: HookInput[] = [];
  expect(Object.keys(watchAll((input) => seen.push(input)))).toEqual([...HOOK_EVENTS]);
  expect(HOOK_EVENTS.length).toBe(33);
  expect([...EXIT_REASONS]).toEqual(["clear", "resume", "logout", "prompt_input_exit", "other"]);
});

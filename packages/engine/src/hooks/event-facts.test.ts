import { expect, test } from "bun:test";
import { HOOK_EVENTS, type HookEvent } from "@keelson/protocol";
import { hookEventCatalog, EVENT_FACTS } from "./event-facts.ts";

const events = (fits: (event: HookEvent) => boolean) => HOOK_EVENTS.filter(fits).toSorted();

test("every event has a row, and the catalog lists them all", () => {
  expect(Object.keys(EVENT_FACTS).toSorted()).toEqual([...HOOK_EVENTS].toSorted());
  expect(hookEventCatalog().map(({ name }) => name)).toEqual([...HOOK_EVENTS]);
  expect(hookEventCatalog()[0]).toEqual({
    name: "PreToolUse",
    summary: "Before tool execution",
    supportsMatcher: true,
  });
  expect(hookEventCatalog().find(({ name }) => name === "Stop")?.supportsMatcher).toBe(false);
  expect(new Set(hookEventCatalog().map(({ summary }) => summary)).size).toBe(33);
});

test("the mechanisms are those of the reference", () => {
  expect(events((event) => EVENT_FACTS[event].mechanisms.includes("prompt"))).toEqual(
    [
      "PreToolUse",
      "PostToolUse",
      "PostToolUseFailure",
      "PostToolBatch",
      "PermissionRequest",
      "PermissionDenied",
      "Stop",
      "SubagentStop",
      "TaskCreated",
      "TaskCompleted",
      "TeammateIdle",
      "UserPromptSubmit",
      "UserPromptExpansion",
    ].toSorted() as HookEvent[],
  );
  expect(events((event) => EVENT_FACTS[event].mechanisms.includes("agent"))).toEqual(
    events((event) => EVENT_FACTS[event].mechanisms.includes("prompt")),
  );
  expect(events((event) => !EVENT_FACTS[event].mechanisms.includes("http"))).toEqual(["SessionStart", "Setup"]);
  expect(events((event) => !EVENT_FACTS[event].mechanisms.includes("command"))).toEqual([]);
});

test("events without a matcher, with the permission mode, and with the effort", () => {
  expect(events((event) => EVENT_FACTS[event].matchedOn === undefined)).toEqual([
    "CwdChanged",
    "MessageDisplay",
    "PostModelSwitch",
    "PostToolBatch",
    "PreModelSwitch",
    "Stop",
    "TaskCompleted",
    "TaskCreated",
    "TeammateIdle",
    "UserPromptSubmit",
    "WorktreeCreate",
    "WorktreeRemove",
  ]);
  expect(events((event) => EVENT_FACTS[event].carries.includes("effort"))).toEqual([
    "PostToolBatch",
    "PostToolUse",
    "PostToolUseFailure",
    "PreToolUse",
    "Stop",
    "StopFailure",
    "SubagentStop",
  ]);
  expect(events((event) => EVENT_FACTS[event].carries.includes("permission_mode"))).toEqual([
    "PermissionDenied",
    "PermissionRequest",
    "PostToolBatch",
    "PostToolUse",
    "PostToolUseFailure",
    "PreToolUse",
    "Stop",
    "SubagentStop",
    "UserPromptExpansion",
    "UserPromptSubmit",
  ]);
});

test("the field that a matcher is compared with is always part of the input", () => {
  for (const event of HOOK_EVENTS) {
    const { matchedOn, input } = EVENT_FACTS[event];
    if (matchedOn !== undefined) expect([event, input]).toEqual([event, expect.arrayContaining([matchedOn])]);
  }
});

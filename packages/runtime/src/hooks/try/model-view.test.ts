import { expect, test } from "bun:test";
import type { HookEvent, HookOutcome } from "@keelson/protocol";
import { modelView, type ModelView } from "./model-view.ts";

const no = { verdict: "deny", reasons: ["because"] } as const;

test.each<[event: HookEvent, outcome: Partial<HookOutcome>, view: ModelView]>([
  ["PreToolUse", {}, { effects: ["Nothing changes"], texts: [] }],
  [
    "PreToolUse",
    { ...no, context: ["by the way"] },
    {
      effects: ["The call is refused"],
      texts: [
        { as: "tool result (error)", text: "because" },
        { as: "reminder", text: "by the way" },
      ],
    },
  ],
  [
    "PreToolUse",
    { verdict: "allow", input: { command: "ls" } },
    {
      effects: [
        "The call runs without asking, unless a deny or ask rule matches",
        'The call runs with this input instead: {"command":"ls"}',
      ],
      texts: [],
    },
  ],
  [
    "Stop",
    no,
    { effects: ["The model keeps working"], texts: [{ as: "new message", text: "Stop hook feedback:\nbecause" }] },
  ],
  ["UserPromptSubmit", no, { effects: ["The prompt is not sent to the model; the user sees the reason"], texts: [] }],
  ["PostToolUse", { stop: "enough" }, { effects: ["The run ends: enough"], texts: [] }],
  ["SessionStart", { fields: { sessionTitle: "x" } }, { effects: ['sessionTitle: "x"'], texts: [] }],
])("modelView() of %s with %p", (event, outcome, view) => {
  expect(modelView(event, { reasons: [], context: [], ...outcome })).toEqual(view);
});

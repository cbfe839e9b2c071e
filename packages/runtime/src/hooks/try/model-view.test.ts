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
        { as: "result of the call, an error", text: "because" },
        { as: "reminder", text: "by the way" },
      ],
    },
  ],
  [
    "PreToolUse",
    { verdict: "allow", input: { command: "ls" } },
    {
      effects: [
        "The call runs without a question, unless a rule denies it or asks",
        'The call runs with this input instead: {"command":"ls"}',
      ],
      texts: [],
    },
  ],
  [
    "Stop",
    no,
    { effects: ["The model goes on working"], texts: [{ as: "new message", text: "Stop hook feedback:\nbecause" }] },
  ],
  ["UserPromptSubmit", no, { effects: ["The prompt is not sent to the model; its author reads why"], texts: [] }],
  ["PostToolUse", { stop: "enough" }, { effects: ["The run ends: enough"], texts: [] }],
  ["SessionStart", { fields: { sessionTitle: "x" } }, { effects: ['sessionTitle: "x"'], texts: [] }],
])("%s %p", (event, outcome, view) => {
  expect(modelView(event, { reasons: [], context: [], ...outcome })).toEqual(view);
});

import { expect, test } from "bun:test";
import { validateInput } from "@keelson/engine";
import { call, toolWorld } from "../tool-world.test-support.ts";
import { askUserTool } from "./ask-user.ts";

const tool = askUserTool({ preview: "markdown" });
const option = (label: string) => ({ label, description: `take ${label}` });
const which = { question: "Which?", header: "Pick", options: [option("A"), option("B")], multiSelect: false };
const where = { ...which, question: "Where?" };

test("the model reads each question with its answer", async () => {
  using world = toolWorld();
  const answers = { "Which?": "A", "Where?": "B" };
  const output = await tool.run({ questions: [which, where], answers }, world.context);
  expect(output).toEqual({ questions: [which, where], answers });
  expect(tool.show(output)).toBe(
    'Your questions have been answered: "Which?"="A", "Where?"="B". You can now continue with these answers in mind.',
  );
});

test("notes and previews follow the answer they belong to", () => {
  const annotations = { "Which?": { notes: "for now" } };
  expect(tool.show({ questions: [which], answers: { "Which?": "A" }, annotations })).toContain(
    '"Which?"="A" (user\'s note: for now).',
  );
});

test("says when the user gave no answer", async () => {
  using world = toolWorld();
  const output = await tool.run({ questions: [which] }, world.context);
  expect(output).toEqual({ questions: [which], answers: {} });
  expect(tool.show(output)).toBe("The user did not answer the questions.");
});

test("several choices may be a list, and multiSelect defaults to false", () => {
  const { multiSelect: _, ...plain } = which;
  expect(validateInput(tool, { questions: [plain], answers: { "Which?": ["A", "B"] } })).toEqual({
    ok: true,
    input: { questions: [which], answers: { "Which?": "A, B" } },
  });
});

test.each([
  ["two questions alike", { questions: [which, which] }, "Question texts must be unique, option labels must"],
  ["two labels alike", { questions: [{ ...which, options: [option("A"), option("A")] }] }, "Question texts must be"],
  ["answers of the model's own", { questions: [which], answers: { "Which?": "A" } }, "Only the user can answer"],
])("check() rejects %s", async (_, input, message) => {
  using world = toolWorld();
  expect(call(tool, input, world.context)).rejects.toThrow(message);
});

test.each([
  ["no question", []],
  ["five questions", ["a", "b", "c", "d", "e"].map((text) => ({ ...which, question: text }))],
  ["one option", [{ ...which, options: [option("A")] }]],
])("the schema rejects %s", (_, questions) => {
  expect(validateInput(tool, { questions }).ok).toBe(false);
});

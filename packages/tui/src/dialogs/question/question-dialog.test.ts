import { expect, test } from "bun:test";
import type { JsonObject } from "@keelson/protocol";
import { press, screenOf } from "../../widgets/panel.test-support.ts";
import { asks, dialogFor, responseOf } from "../dialog.test-support.ts";

const option = (label: string, more: JsonObject = {}) => ({ label, description: `take ${label}`, ...more });
const question = (text: string, header: string, multiSelect = false) => ({
  question: text,
  header,
  options: [option("A"), option("B"), option("C")],
  multiSelect,
});
const one = { questions: [question("Which?", "Pick")] };
const several = { questions: [question("Which?", "Pick", true)] };
const two = { questions: [question("Which?", "Pick"), question("Where?", "Place", true)] };

const no = { behavior: "deny", message: expect.stringContaining("Stop"), interrupt: true } as unknown as JsonObject;
const answers = (given: JsonObject) => expect.objectContaining({ answers: given });

test.each<[string, JsonObject, string, JsonObject]>([
  ["Enter", one, "enter", { "Which?": "A" }],
  ["a digit and Enter", one, "2 enter", { "Which?": "B" }],
  ["arrows", one, "down down enter", { "Which?": "C" }],
  ["a text is own words", one, "'maybe use a branch' enter", { "Which?": "maybe use a branch" }],
  ["a text that begins with a digit", one, "'2 of them' enter", { "Which?": "2 of them" }],
  ["a pasted text", one, "<1> enter", { "Which?": "1" }],
  ["a text that begins with ticks", several, "'12 of them' enter enter", { "Which?": "12 of them" }],
  ["a text in the review", two, "right right 'all' enter enter", { "Where?": "all" }],
  ["own words", one, "4 'Not y 1' enter", { "Which?": "Not y 1" }],
  ["own words by arrows", one, "down down down 'n' enter", { "Which?": "n" }],
  ["nothing yet, then own words", one, "4 enter 'x' enter", { "Which?": "x" }],
  ["ticks by Space and Enter", several, "space down down enter right enter", { "Which?": "A, C" }],
  ["ticks by digits", several, "3 1 right enter", { "Which?": "A, C" }],
  ["a tick taken back", several, "1 1 2 right enter", { "Which?": "B" }],
  ["ticks and own words", several, "1 4 'mine' tab enter", { "Which?": "A, mine" }],
  ["ticks, own words and Enter", several, "1 4 'mine' enter enter", { "Which?": "A, mine" }],
  ["no own words after all", several, "4 enter up up enter right enter", { "Which?": "B" }],
  ["no tick", several, "right enter", {}],
  ["two questions", two, "2 enter 1 3 right enter", { "Which?": "B", "Where?": "A, C" }],
  ["two questions, the first again", two, "2 enter 1 left 3 enter right enter", { "Which?": "C", "Where?": "A" }],
  ["only the second", two, "right 1 right 1", { "Where?": "A" }],
])("%s", (_, input, keys, given) => {
  expect(responseOf(press(dialogFor(asks("AskUserQuestion", input)), keys))).toEqual({
    behavior: "allow",
    updatedInput: { ...input, answers: given },
  });
});

test.each<[string, JsonObject, string]>([
  ["Esc", one, "escape"],
  ["Ctrl+C", two, "2 ctrl+c"],
  ["Esc in own words", one, "4 'x' escape"],
  ["Cancel in the review", two, "right right 2"],
])("%s does not answer", (_, input, keys) => {
  expect(responseOf(press(dialogFor(asks("AskUserQuestion", input)), keys))).toEqual(no);
});

test("letters that are bound elsewhere are text", () => {
  expect(press(dialogFor(asks("AskUserQuestion", one)), "y n j k q")).toBeUndefined();
});

test("where several answers can be ticked, a row goes on to the review", () => {
  const dialog = dialogFor(asks("AskUserQuestion", two));
  press(dialog, "2 enter");
  expect(screenOf(dialog)).toContain("5. Continue");
  press(dialog, "1 down down down down enter");
  expect(screenOf(dialog)).toContain("Send these answers?");
});

test("talking about it tells the model what was answered so far", () => {
  const { message, ...rest } = responseOf(press(dialogFor(asks("AskUserQuestion", two)), "2 enter 6 enter"))!;
  expect(rest).toEqual({ behavior: "deny" });
  expect(message).toContain('Answers so far: "Which?"="B".');
});

test("a note and the chosen preview go with the answer", () => {
  const input = {
    questions: [{ ...question("Which?", "Pick"), options: [option("A"), option("B", { preview: "**b**" })] }],
  };
  expect(responseOf(press(dialogFor(asks("AskUserQuestion", input)), "down tab 'for now' enter"))).toEqual({
    behavior: "allow",
    updatedInput: answers({ "Which?": "B" }) as unknown as JsonObject,
  });
  const { updatedInput } = responseOf(press(dialogFor(asks("AskUserQuestion", input)), "down tab 'for now' enter"))!;
  expect((updatedInput as JsonObject)["annotations"]).toEqual({ "Which?": { preview: "**b**", notes: "for now" } });
});

test("the preview of the marked option is beside the list, or below it", () => {
  const options = [option("A", { preview: "first" }), option("B", { preview: "second" })];
  const dialog = dialogFor(asks("AskUserQuestion", { questions: [{ ...question("Which?", "Pick"), options }] }));
  expect(screenOf(dialog, 120, 40)).toMatch(/1\. A +│ first\n/);
  press(dialog, "down");
  expect(screenOf(dialog, 40, 15)).toContain("  │ second\n");
});

test("the tabs show what is answered, and the review says what is not", () => {
  const dialog = dialogFor(asks("AskUserQuestion", two));
  press(dialog, "2 enter");
  expect(screenOf(dialog)).toContain(" ✔ Pick  [□ Place]  Review");
  press(dialog, "right");
  expect(screenOf(dialog)).toContain("Which?\n  → B\nWhere?\n  → not answered\n\n1 of 2 not answered. Send anyway?");
});

test("questions that cannot be read are asked about like any call", () => {
  expect(screenOf(dialogFor(asks("AskUserQuestion", { questions: [{}] })))).toContain("Allow AskUserQuestion?");
});

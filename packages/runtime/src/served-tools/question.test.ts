import { expect, test } from "bun:test";
import { denialOf, questionText } from "./question.ts";

const about = (tool: string, input: object) => ({
  tool,
  input: input as never,
  reason: "This command requires approval.",
});

test.each([
  ["Bash", { command: "npm test", description: "harmless" }, "Allow Bash: npm test?"],
  ["Bash", { command: "a", dangerouslyDisableSandbox: true }, "Allow Bash: a (outside the sandbox)?"],
  ["Bash", { command: "a\nb\tc" }, "Allow Bash: a\nb\tc?"],
  ["Bash", { command: "a\rb\u001b[2K\u200bc\u2066d" }, "Allow Bash: a\\u{d}b\\u{1b}[2K\\u{200b}c\\u{2066}d?"],
  ["Write", { file_path: "/p/a.txt", content: "the content is not shown" }, "Allow Write: /p/a.txt?"],
  ["NotebookEdit", { notebook_path: "/p/n.ipynb", new_source: "" }, "Allow NotebookEdit: /p/n.ipynb?"],
  ["Write", { command: "ls", file_path: "/p/.bashrc", content: "" }, "Allow Write: /p/.bashrc?"],
  ["Bash", { command: `ls${"\n".repeat(500)}id` }, "Allow Bash: ls […500 blank characters…] id?"],
  ["Bash", { command: `ls${" ".repeat(500)};id` }, "Allow Bash: ls […500 blank characters…] ;id?"],
  ["TaskStop", { task_id: "t1" }, 'Allow TaskStop: {"task_id":"t1"}?'],
])("questionText() of %s with %p", (tool, input, text) => {
  expect(questionText(about(tool, input))).toBe(`${text}\n\nThis command requires approval.`);
});

test("questionText() does not shorten what is to be approved", () => {
  expect(questionText(about("Bash", { command: "x".repeat(10_001) }))).toBeUndefined();
});

test("denialOf() is undefined only for a yes", () => {
  const question = about("Bash", {});
  const kinds = ["yes", "no", "dismissed"] as const;
  const denials = [
    ...kinds.map((kind) => denialOf({ kind }, question)),
    denialOf({ kind: "failed", reason: "gone" }, question),
  ];
  expect(denials.map((denial) => denial?.split(/[.:] /)[0])).toEqual([
    undefined,
    "The user declined Bash",
    "The user closed the question about Bash without an answer",
    "The user could not be asked about Bash",
  ]);
});

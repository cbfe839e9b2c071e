import { expect, test } from "bun:test";
import type { ControlRequest, JsonObject } from "@keelson/protocol";
import { key, press, screenOf } from "../../widgets/panel.test-support.ts";
import { acceptEdits, allowRule, asks, dialogFor, patchOf, responseOf } from "../dialog.test-support.ts";
import { Bindings } from "../../keys/bindings.ts";
import { keyLookup } from "../../widgets/key-lookup.ts";

const input = { command: "make alpha", description: "Build it" };
const rule = allowRule("Bash", "make alpha *");
const bash = (more: JsonObject = {}) => asks("Bash", input, { permission_suggestions: [rule], ...more });
const edited = { file_path: "/home/u/p/a.ts", old_string: "a", new_string: "b" };
const edit = asks("Edit", edited, { permission_suggestions: [acceptEdits] });

const yes: JsonObject = { behavior: "allow", updatedInput: input };
const remembered: JsonObject = { ...yes, updatedPermissions: [rule] };
const no = { behavior: "deny", message: expect.stringContaining("Stop"), interrupt: true } as unknown as JsonObject;
const noWith = (text: string) =>
  ({ behavior: "deny", message: expect.stringContaining(text) }) as unknown as JsonObject;
const editYes: JsonObject = { behavior: "allow", updatedInput: edited };

test.each<[string, ControlRequest, string, JsonObject]>([
  ["Enter", bash(), "enter", yes],
  ["1 Enter", bash(), "1 enter", yes],
  ["y is the start of a note", bash(), "down y enter", noWith("y")],
  ["n is, too", bash(), "'no, use make beta' enter", noWith("no, use make beta")],
  ["a digit that begins a note", bash(), "'2 cores' enter", noWith("2 cores")],
  ["a number is a note", bash(), "'12' enter", noWith("12")],
  ["a paste is a note", bash(), "<1> enter", noWith("1")],
  ["Tab after a text", bash(), "'x' escape up up tab 'y' enter", yes],
  ["Tab in a text", bash(), "'x' tab 'y' enter", noWith("x")],
  ["a note taken back, and an arrow", bash(), "'x' escape up up enter", yes],
  ["y and n in a text", bash(), "end tab 'y n' enter", noWith("y n")],
  ["2 Enter", bash(), "2 enter", remembered],
  ["Down Enter", bash(), "down enter", remembered],
  ["3 Enter", bash(), "3 enter", no],
  ["Down twice, Enter", bash(), "down down enter", no],
  ["End Enter", bash(), "end enter", no],
  ["Home Enter", bash(), "end home enter", yes],
  ["Esc", bash(), "escape", no],
  ["Ctrl+C", bash(), "ctrl+c", no],
  ["Ctrl+C in a text", bash(), "tab 'x' ctrl+c", no],
  ["Esc leaves a text first", bash(), "tab 'x' escape escape", no],
  ["digits in a text", bash(), "end tab 'use 2 cores' enter", noWith("use 2 cores")],
  ["an empty text", bash(), "end tab enter", no],
  ["a text, and back", bash(), "end tab 'x' up enter", remembered],
  ["a pasted text", bash(), "end tab <one two> enter", noWith("one two")],
  ["Shift+Tab without edits", bash(), "shift+tab enter", yes],
  ["no suggestion: 2 is no", bash({ permission_suggestions: [] }), "2 enter", no],
  ["suggestions not wanted", bash({ suppress_always_allow_rule: true }), "2 enter", no],
  ["no by default", bash({ default_to_no: true }), "enter", no],
  ["edits: 2 Enter", edit, "2 enter", { ...editYes, updatedPermissions: [acceptEdits] }],
  ["edits: Shift+Tab", edit, "shift+tab", { ...editYes, updatedPermissions: [acceptEdits] }],
  ["edits: Enter", edit, "enter", editYes],
])("%s", (_, request, keys, response) => {
  expect(responseOf(press(dialogFor(request), keys))).toEqual(response);
});

test.each<[string, JsonObject | undefined]>([
  ["ctrl+x ctrl+y", yes],
  ["ctrl+x ctrl+n", no],
  ["ctrl+x", undefined],
  // What does not belong to the chord does nothing, and the next key is a key of its own.
  ["ctrl+x escape", undefined],
  ["ctrl+x escape escape", no],
])("a chord of keybindings.json: %s", (keys, response) => {
  const bound = { "ctrl+x ctrl+y": "confirm:yes", "ctrl+x ctrl+n": "confirm:no" };
  const file = JSON.stringify({ bindings: [{ context: "Confirmation", bindings: bound }] });
  const lookup = keyLookup(Bindings.read(file).bindings);
  expect(responseOf(press(dialogFor(bash(), { keys: lookup }), keys))).toEqual(response);
});

test("a text with yes goes to the model as the user's words", () => {
  expect(press(dialogFor(bash()), "tab 'and beta' enter")).toEqual({
    kind: "reply",
    response: yes,
    effects: [{ kind: "prompt", text: "and beta" }],
  });
});

test("while a note is written, the keys are those of the note", () => {
  const dialog = dialogFor(bash());
  expect(screenOf(dialog)).toContain("Tab add a note");
  press(dialog, "tab 'x'");
  expect(screenOf(dialog)).toContain('Enter answer "Yes" with this note · Esc back to the answers');
  press(dialog, "escape");
  expect(screenOf(dialog)).toContain("Tab add a note");
});

test("the keys say that typing goes to the no, and that Esc leaves the explanation", () => {
  const dialog = dialogFor(bash());
  press(dialog, "'y'");
  expect(screenOf(dialog)).toContain('Enter answer "No" with this note');
  press(dialog, "escape ctrl+e");
  expect(screenOf(dialog)).toContain("Enter choose · Esc back to the question");
});

test.each<[string, string, JsonObject, JsonObject[], string]>([
  [
    "one rule",
    "Bash",
    input,
    [rule],
    "Yes, and allow Bash(make alpha *) from now on\n     Saved in .claude/settings.local.json",
  ],
  [
    "a rule for each part",
    "Bash",
    input,
    [allowRule("Bash", "npm run *"), allowRule("Bash", "./x 1")],
    "Yes, and allow Bash(npm run *), Bash(./x 1) from now on",
  ],
  [
    "a folder",
    "Bash",
    input,
    [{ type: "addDirectories", directories: ["/tmp/x"], destination: "session" }],
    "Yes, and allow access to /tmp/x/ this session\n     Nothing is saved",
  ],
  [
    "reading a folder",
    "Read",
    { file_path: "/etc/x" },
    [allowRule("Read", "//etc/**", "session")],
    "Yes, and allow reading /etc/ this session",
  ],
  [
    "a host",
    "WebFetch",
    { url: "https://e.com/x" },
    [allowRule("WebFetch", "domain:e.com")],
    "Yes, and allow WebFetch(domain:e.com) from now on",
  ],
  [
    "edits outside",
    "Write",
    { file_path: "/tmp/x/a" },
    [acceptEdits, { type: "addDirectories", directories: ["/tmp/x"], destination: "session" }],
    "Yes, and allow all edits this session, also in /tmp/x/ (Shift+Tab)",
  ],
])("the second answer names what it stores: %s", (_, tool, given, suggestions, label) => {
  const dialog = dialogFor(asks(tool, given, { permission_suggestions: suggestions }));
  expect(screenOf(dialog, 100, 40)).toContain(`2. ${label}`);
  expect(responseOf(press(dialog, "2 enter"))).toEqual({
    behavior: "allow",
    updatedInput: given,
    updatedPermissions: suggestions,
  });
});

test("a command cannot draw parts of the dialog", () => {
  const command = "echo hi\u001b[2J\u001b[H\n❯ 1. Yes\nRun this command?\u202e\u200b\u009b1m";
  const rows = screenOf(dialogFor(asks("Bash", { command }))).split("\n");
  expect(rows.slice(1, 5)).toEqual(["│ echo hi␛[2J␛[H", "│ ❯ 1. Yes", "│ Run this command?<202E><200B><009B>1m", ""]);
});

test("all of a long command can be read", () => {
  const lines = Array.from({ length: 100 }, (_, index) => `echo line-${index}.`);
  const dialog = dialogFor(asks("Bash", { command: lines.join("\n") }));
  const seen = new Set<string>();
  for (let page = 0; page < 100; page++) {
    for (const row of screenOf(dialog, 40, 15).split("\n")) seen.add(row);
    dialog.take(key("pagedown"), 10_000);
  }
  expect(lines.filter((line) => !seen.has(`│ ${line}`))).toEqual([]);
});

test("a huge command is shown like any other", () => {
  const command = `echo ${"x".repeat(200_000)}; ${"make all && ".repeat(20_000)}true`;
  const dialog = dialogFor(asks("Bash", { command }));
  expect(screenOf(dialog)).toMatch(/1–\d+ of \d{4,} rows/);
  expect(responseOf(press(dialog, "1 enter"))).toEqual({ behavior: "allow", updatedInput: { command } });
});

test("who asks, why, and what the model says are shown, each as what it is", () => {
  const more = {
    description: "Build it",
    decision_reason: "This command requires approval: 'make' runs code of the project",
    matched_ask_rule: { source: "userSettings", tool_name: "Bash", rule_content: "make *" },
    blocked_path: "/home/u/p/out",
    agent_id: "a1",
    agent_type: "Explore",
  };
  const screen = screenOf(dialogFor(bash(more)));
  for (const text of [
    "subagent Explore",
    "The model says: Build it",
    "Why it asks: This command requires approval: 'make' runs code of the project",
    "Ask rule: Bash(make *) (userSettings)",
    "Path: out",
  ])
    expect(screen).toContain(text);
  const teammate = { agent_id: "alice@fix", agent_type: "alice" };
  expect(screenOf(dialogFor(bash(teammate)))).toContain("teammate alice");
});

test("a reason that says nothing more is left out", () => {
  const plain = { decision_reason: "This command requires approval", decision_reason_is_default: true };
  expect(screenOf(dialogFor(bash(plain)))).not.toContain("Why it asks");
});

test("the parts of a command are listed, and which of them needs approval", () => {
  const request = asks(
    "Bash",
    { command: "git status && npm test -- -w" },
    { permission_suggestions: [allowRule("Bash", "npm test *")] },
  );
  expect(screenOf(dialogFor(request))).toContain("  │ 1 git status\n  │ 2 npm test -- -w ← needs approval\n");
});

test("the keys explain the question and go back", () => {
  const dialog = dialogFor(bash({ decision_reason_type: "hook" }));
  const before = screenOf(dialog);
  press(dialog, "ctrl+e");
  expect(screenOf(dialog)).toContain("A hook asked for approval");
  press(dialog, "ctrl+e");
  expect(screenOf(dialog)).toBe(before);
  expect(press(dialog, "ctrl+e escape")).toBeUndefined();
  expect(screenOf(dialog)).toBe(before);
  expect(responseOf(press(dialog, "escape"))).toEqual(no);
});

test("an edit is shown as the session says that it changes the file", () => {
  const patch = patchOf("/home/u/p/a.ts", [" one", "-a", "+b"]);
  const screen = screenOf(dialogFor(asks("Edit", edited, patch)));
  expect(screen).toContain("│   one\n│ - a\n│ + b\n");
  expect(screen).not.toContain("old_string");
});

test.each([
  ["without a patch", {}],
  ["with half of one", { patch: { path: "/home/u/p/a.ts", hunks: [{ lines: ["-a"] }] } }],
])("%s, the input of an edit is shown", (_, more) => {
  const screen = screenOf(dialogFor(asks("Edit", edited, more)));
  expect(screen).toContain('│ old_string: "a"');
  expect(screen).toContain('new_string: "b"');
});

test("a key meant for the prompt does not answer", () => {
  const late = () => dialogFor(bash(), { openedAt: 1000, lastKeyAt: 900 });
  const [early, after] = [late(), late()];
  expect([press(early, "enter", 1299), early.holdsKeys(1299)]).toEqual([undefined, true]);
  expect([responseOf(press(after, "enter", 1300)), after.holdsKeys(1300)]).toEqual([yes, false]);
  expect(responseOf(press(dialogFor(bash(), { openedAt: 10_000, lastKeyAt: 1000 }), "enter", 10_001))).toEqual(yes);
  expect(responseOf(press(dialogFor(bash(), { openedAt: 1000 }), "enter", 1001))).toEqual(yes);
});

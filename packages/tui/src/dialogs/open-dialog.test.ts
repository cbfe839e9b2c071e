import { expect, test } from "bun:test";
import type { ControlRequest } from "@keelson/protocol";
import { plainRows } from "../plain/plain-text.ts";
import { OpenStyles } from "../screen/live/open-styles.ts";
import { makeTheme } from "../theme/make-theme.ts";
import { fits, frameOf, key, press, screenOf, SIZES } from "../widgets/panel.test-support.ts";
import {
  acceptEdits,
  allowRule,
  asks,
  context,
  dialogFor,
  patchOf,
  requests,
  responseOf,
} from "./dialog.test-support.ts";
import { openDialog } from "./open-dialog.ts";

const option = (label: string) => ({ label, description: `Use ${label} for it`, preview: `# ${label}\n\ntext` });
const question = (text: string, multiSelect: boolean) => ({
  question: text,
  header: text.slice(0, 8),
  options: [option("Postgres"), option("SQLite")],
  multiSelect,
});
const long = Array.from({ length: 60 }, (_, index) => `line ${index} of a long text`).join("\n");

const dialogs: readonly [string, ControlRequest][] = [
  [
    "a command",
    asks(
      "Bash",
      { command: "git status && npm test -- --watch=false", description: "Run the tests", timeout: 60_000 },
      {
        description: "Run the tests",
        permission_suggestions: [allowRule("Bash", "npm test *")],
        decision_reason: "This command requires approval: it runs code of the project",
        agent_type: "Explore",
      },
    ),
  ],
  ["a long command", asks("Bash", { command: long })],
  ["PowerShell", asks("PowerShell", { command: "Get-ChildItem" })],
  [
    "an edit",
    asks(
      "Edit",
      { file_path: "/home/u/p/src/a.ts", old_string: "a", new_string: "b" },
      { permission_suggestions: [acceptEdits], ...patchOf("/home/u/p/src/a.ts", ["-a", "+b"]) },
    ),
  ],
  ["an edit that is too long", asks("Edit", { file_path: "/home/u/p/a.ts", old_string: "a", new_string: "b\nc" })],
  [
    "a new file",
    asks(
      "Write",
      { file_path: "/home/u/p/n.txt", content: long },
      {
        permission_suggestions: [acceptEdits],
        ...patchOf(
          "/home/u/p/n.txt",
          long.split("\n").map((line) => `+${line}`),
          { isNew: true },
        ),
      },
    ),
  ],
  [
    "a notebook",
    asks(
      "NotebookEdit",
      { notebook_path: "/home/u/p/n.ipynb", new_source: "1 + 1", cell_id: "c1" },
      patchOf("/home/u/p/n.ipynb", ["-1", "+1 + 1"]),
    ),
  ],
  [
    "a page",
    asks(
      "WebFetch",
      { url: "https://example.com/x", prompt: "Sum it up" },
      { permission_suggestions: [allowRule("WebFetch", "domain:example.com")] },
    ),
  ],
  [
    "a file outside",
    asks(
      "Read",
      { file_path: "/etc/hosts" },
      { permission_suggestions: [allowRule("Read", "//etc/**", "session")], blocked_path: "/etc/hosts" },
    ),
  ],
  [
    "an MCP tool",
    asks("mcp__db__query", { sql: "select 1\nfrom x", limit: 3 }, { mcp_server: { name: "db", source: "project" } }),
  ],
  [
    "a skill",
    asks(
      "Skill",
      { skill: "deploy" },
      { permission_suggestions: [allowRule("Skill", "deploy"), allowRule("Skill", "deploy:*")] },
    ),
  ],
  ["another tool", asks("CronCreate", { cron: "* * * * *", prompt: "look" })],
  ["a plan", asks("ExitPlanMode", { plan: long, planFilePath: "/home/u/.claude/plans/x.md" })],
  ["no plan", asks("ExitPlanMode", {})],
  ["a question", asks("AskUserQuestion", { questions: [question("Which database?", false)] })],
  [
    "questions",
    asks("AskUserQuestion", { questions: [question("Which database?", false), question("Which extras?", true)] }),
  ],
  [
    "a form",
    requests("elicitation", {
      mcp_server_name: "el",
      message: "Who are you?",
      mode: "form",
      requested_schema: {
        type: "object",
        properties: {
          name: { type: "string", title: "Name", description: "Your full name" },
          age: { type: "integer", minimum: 0 },
          ok: { type: "boolean", title: "All right?" },
          color: { type: "string", enum: ["red", "green"] },
          tags: { type: "array", items: { enum: ["a", "b"] } },
        },
        required: ["name"],
      },
    }),
  ],
  [
    "an address",
    requests("elicitation", {
      mcp_server_name: "el",
      message: "Sign in",
      mode: "url",
      url: "https://example.com/login?x=1",
    }),
  ],
  ["an unknown dialog", requests("request_user_dialog", { dialog_kind: "greeting", payload: { text: "Hello" } })],
];

for (const [columns, rows] of SIZES) {
  test.each(dialogs)(`%s at ${columns}×${rows}`, (_, request) => {
    expect(`\n${screenOf(dialogFor(request), columns, rows)}\n`).toMatchSnapshot();
  });
}

test.each(dialogs)("%s in color has the same text, and every row closes its styles", (_, request) => {
  const theme = makeTheme({ settings: { theme: "dark" }, env: { COLORTERM: "truecolor", TERM: "xterm-256color" } });
  for (const [columns, rows] of SIZES) {
    const painted = dialogFor(request).render({ columns, rows, theme, now: 0 });
    const plain = dialogFor(request).render(frameOf(columns, rows));
    expect(painted.rows.map((row) => Bun.stripANSI(row))).toEqual([...plain.rows]);
    for (const row of painted.rows) {
      const open = new OpenStyles();
      for (const [sequence] of row.matchAll(/\u001b\[[\d;]*m/g)) open.take(sequence);
      expect([row, open.isEmpty]).toEqual([row, true]);
    }
  }
});

test.each(dialogs)("%s for a screen reader has no frames or rules", (_, request) => {
  expect(screenOf(dialogFor(request, { plain: true }), 80, 1000)).not.toMatch(/[\u2500-\u259f❯]/);
});

test("a screen reader can tell a command from the dialog", () => {
  const dialog = dialogFor(asks("Bash", { command: "ls\n> 1. Yes" }), { plain: true });
  expect(plainRows(screenOf(dialog).split("\n")).slice(0, 3)).toEqual(["Run a shell command", "| ls", "| > 1. Yes"]);
});

test.each(dialogs)("%s fits the smallest frames", (_, request) => {
  for (const [columns, rows] of [
    [20, 5],
    [10, 3],
    [3, 1],
    [200, 100],
  ] as const)
    screenOf(dialogFor(request), columns, rows);
});

const KEYS =
  "enter escape up down left right tab shift+tab space home end pageup pagedown backspace ctrl+e ctrl+g ctrl+a ctrl+w ctrl+y ctrl+k ctrl+u alt+b alt+d shift+enter 1 2 3 4 5 9 y n j x é 👍 ctrl+c".split(
    " ",
  );

test.each(dialogs)("any keys in %s: no error, and it can always be left", (_, request) => {
  let seed = 7;
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let run = 0; run < 40; run++) {
    const dialog = dialogFor(request);
    fits(dialog);
    let done: unknown;
    for (let step = 0; step < 60 && !done; step++) {
      const event =
        random(20) === 0 ? ({ kind: "paste", text: "a\nb\u001b[31m" } as const) : key(KEYS[random(KEYS.length)]!);
      done = dialog.take(event, 10_000);
      if (random(8) === 0) fits(dialog);
    }
    for (let escapes = 0; escapes < 3 && !done; escapes++) done = dialog.take(key("escape"), 10_000);
    expect(done).toBeDefined();
  }
});

test("a dialog of an unknown kind can only be closed", () => {
  const request = requests("request_user_dialog", { dialog_kind: "greeting", payload: {} });
  expect(responseOf(press(dialogFor(request), "enter"))).toEqual({ behavior: "cancelled" });
});

test.each(["hook_callback", "mcp_message", "no_such"])("%s is no question for people", (subtype) => {
  expect(openDialog(requests(subtype, {}), context)).toBeUndefined();
});

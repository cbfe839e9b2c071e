// Which hooks run, how often, and all at once; and what comes of it when they disagree.

import { expect } from "bun:test";
import {
  bash,
  DONE,
  exits,
  listens,
  nameOf,
  prints,
  RAN,
  says,
  script,
  TOUCH,
  TOUCHED,
  withReminder,
  type Hook,
  type Row,
} from "../row.ts";

const row = (name: string, hooks: Row["hooks"], noticed: Row["noticed"], more: Partial<Row> = {}): Row => ({
  name,
  event: "PreToolUse",
  hooks,
  noticed,
  ...more,
});
const leaves = (name: string, fields: object = {}) => script(`touch 'fired ${name}'`, { ...fields });
const fired = (names: readonly string[]) => Object.fromEntries(names.toSorted().map((name) => [`fired ${name}`, ""]));
const decides = (permissionDecision: string, more: object = {}) =>
  says("PreToolUse", { permissionDecision, permissionDecisionReason: `${permissionDecision} said so`, ...more });
const refused = (text: unknown) => ({ files: {}, heard: [expect.anything(), [text]] });

/** Each for the tool Bash, and whether it speaks about it. */
const MATCHERS: Readonly<Record<string, { readonly matcher?: string; readonly fires: boolean }>> = {
  none: { fires: true },
  empty: { matcher: "", fires: true },
  star: { matcher: "*", fires: true },
  exact: { matcher: "Bash", fires: true },
  "list with bars": { matcher: "Write|Bash", fires: true },
  "list with commas": { matcher: "Edit, Bash", fires: true },
  "regex anywhere": { matcher: "^Bas", fires: true },
  "regex of all": { matcher: ".*", fires: true },
  "part of the name": { matcher: "Bas", fires: false },
  "other case": { matcher: "bash", fires: false },
  "another tool": { matcher: "Edit", fires: false },
  "regex of another": { matcher: "^mcp__.*", fires: false },
  "a server alone": { matcher: "mcp__srv", fires: false },
  // A guard that fires too often is noticed, one that is gone is not.
  invalid: { matcher: "Edit(", fires: true },
};

/** Each for the command `X=1 touch ran && echo $(basename a)`. */
const CONDITIONS: Readonly<Record<string, { readonly if: string; readonly fires: boolean }>> = {
  tool: { if: "Bash", fires: true },
  "first command": { if: "Bash(touch *)", fires: true },
  "second command": { if: "Bash(echo *)", fires: true },
  "inside a substitution": { if: "Bash(basename *)", fires: true },
  "other command": { if: "Bash(git *)", fires: false },
  "other tool": { if: "Edit(*.ts)", fires: false },
};

const matcherNames = Object.keys(MATCHERS);
const conditionNames = Object.keys(CONDITIONS);
const tenth = script(
  'mkdir -p "$TOLD.d"; : > "$TOLD.d/$$"; n=0; until [ "$(ls "$TOLD.d" | wc -l)" -ge 10 ]; do n=$((n+1)); [ $n -gt 400 ] && exit 2; sleep 0.05; done',
);
/** Goes on when the other one is there, and refuses when it never comes. */
const meets = (own: string, other: string) =>
  script(
    `: > "$TOLD.${own}"; n=0; until [ -e "$TOLD.${other}" ]; do n=$((n+1)); [ $n -gt 400 ] && exit 2; sleep 0.05; done`,
  );

export const CHOOSING: readonly Row[] = [
  row(
    "matchers",
    {
      PreToolUse: matcherNames.map((name) =>
        leaves(name, MATCHERS[name]!.matcher === undefined ? {} : { matcher: MATCHERS[name]!.matcher }),
      ),
    },
    { files: { ...fired(matcherNames.filter((name) => MATCHERS[name]!.fires)), ...RAN } },
  ),
  row(
    "if",
    { PreToolUse: conditionNames.map((name) => leaves(name, { if: CONDITIONS[name]!.if })) },
    { files: { ...fired(conditionNames.filter((name) => CONDITIONS[name]!.fires)), ...RAN } },
    {
      settings: { permissions: { allow: ["Bash"] } },
      says: [{ calls: [bash("X=1 touch ran && echo $(basename a)")] }, DONE],
    },
  ),
  row(
    "if on a command nobody can read runs the hook",
    { PreToolUse: [leaves("guard", { if: "Bash(git *)" })] },
    {
      files: fired(["guard"]),
    },
    { says: [{ calls: [bash("echo 'open")] }, DONE], settings: { permissions: { allow: ["Bash"] } } },
  ),
  row(
    "if speaks of files too",
    { PreToolUse: [leaves("ts", { if: "Edit(*.ts)" }), leaves("md", { if: "Edit(*.md)" })] },
    {
      files: { ...fired(["ts"]), "a.ts": "x" },
    },
    {
      flags: ["--permission-mode", "acceptEdits"],
      says: [{ calls: [{ name: "Write", input: { file_path: "<project>/a.ts", content: "x" } }] }, DONE],
    },
  ),
  {
    ...row(
      "if without a call to look at never runs, a matcher without a subject is ignored",
      {
        Stop: [leaves("if", { if: "Bash" }), leaves("matcher", { matcher: "nothing" })],
      },
      { files: fired(["matcher"]) },
      { says: [DONE] },
    ),
    event: "Stop",
  },
  row(
    "one handler in several files and groups runs once",
    {
      PreToolUse: [
        { ...script("echo x >> times", { called: ".claude/hooks/same" }), user: true },
        script("echo x >> times", { called: ".claude/hooks/same" }),
        script("echo x >> times", { called: ".claude/hooks/same", matcher: "Bash" }),
        script("echo x >> times", { called: ".claude/hooks/same", matcher: "^B" }),
      ],
    },
    { files: { ...RAN, times: "x\n" } },
  ),
  row(
    "one that differs in a field is another",
    {
      PreToolUse: [
        script("echo x >> times", { called: ".claude/hooks/same" }),
        script("echo x >> times", { called: ".claude/hooks/same", onFailure: "block" }),
      ],
    },
    { files: { ...RAN, times: "x\nx\n" } },
  ),
  row(
    "hooks of all files run",
    { PreToolUse: [{ ...leaves("user"), user: true } as Hook, leaves("project")] },
    {
      files: { ...fired(["user", "project"]), ...RAN },
    },
  ),
  row(
    "two that wait for each other run at once",
    { PreToolUse: [meets("a", "b"), meets("b", "a")] },
    {
      files: RAN,
      heard: [expect.anything(), [TOUCHED]],
    },
  ),
  row(
    "ten run at once",
    { PreToolUse: Array.from({ length: 10 }, () => tenth) },
    {
      files: RAN,
      heard: [expect.anything(), [TOUCHED]],
    },
  ),

  row("deny beats allow", { PreToolUse: [decides("allow"), decides("deny")] }, refused("error: deny said so")),
  row(
    "deny beats ask and defer",
    { PreToolUse: [decides("ask"), decides("deny"), decides("defer")] },
    {
      ...refused("error: deny said so"),
    },
  ),
  row(
    "defer beats ask and allow",
    { PreToolUse: [decides("allow"), decides("defer"), decides("ask")] },
    {
      result: expect.objectContaining({ ends: "tool_deferred" }),
      files: {},
    },
  ),
  row(
    "ask beats allow",
    { PreToolUse: [decides("ask"), decides("allow")] },
    {
      ...refused(expect.stringMatching(/^error: ask said so/)),
      denied: ["Bash hook"],
    },
  ),
  row(
    "a slow deny beats a quick allow",
    { PreToolUse: [decides("allow"), script("sleep 0.3; echo slow >&2; exit 2")] },
    {
      ...refused(`error: PreToolUse:Bash hook error: [${nameOf("PreToolUse", 2)}]: slow`),
    },
  ),
  row(
    "two that deny are both heard",
    { PreToolUse: [exits(2, "one"), prints({ decision: "block", reason: "two" })] },
    {
      ...refused(`error: PreToolUse:Bash hook error: [${nameOf("PreToolUse")}]: one\ntwo`),
    },
  ),
  row(
    "one that breaks does not take the others with it",
    { PreToolUse: [exits(1, "broken"), decides("deny")] },
    {
      ...refused("error: deny said so"),
      notices: [expect.stringContaining("exited with code 1: broken")],
    },
  ),
  row(
    "all context is heard, in the order of the settings",
    {
      PreToolUse: [says("PreToolUse", { additionalContext: "one" }), says("PreToolUse", { additionalContext: "two" })],
    },
    {
      heard: [
        expect.anything(),
        withReminder(
          TOUCHED,
          "PreToolUse:Bash hook additional context: one",
          "PreToolUse:Bash hook additional context: two",
        ),
      ],
    },
  ),
  row(
    "of two new inputs the last one's counts",
    {
      PreToolUse: [
        says("PreToolUse", { updatedInput: { command: "touch one" } }),
        says("PreToolUse", { updatedInput: { command: "touch two" } }),
      ],
    },
    { files: { two: "" } },
  ),
  row(
    "a new input does not outlive a deny",
    {
      PreToolUse: [says("PreToolUse", { updatedInput: { command: "touch one" } }), decides("deny")],
    },
    refused("error: deny said so"),
  ),
  row(
    "hooks of events that did not happen do not run",
    { PostToolUseFailure: [listens], PermissionRequest: [listens], SubagentStart: [listens] },
    {
      told: [],
      files: RAN,
    },
    { says: [{ calls: [TOUCH] }, DONE] },
  ),
];

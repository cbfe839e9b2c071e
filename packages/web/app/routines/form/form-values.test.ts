import { expect, test } from "bun:test";
import { bodyOf, changesIn, emptyForm, fieldOf, formOf, merge } from "./form-values.ts";
import type { ShownRoutine } from "../wire.ts";

const ROUTINE: ShownRoutine = {
  id: "trig_1",
  name: "Nightly",
  prompt: "Run the tests",
  cron_expression: "0 3 * * *",
  zone: "Europe/Berlin",
  run_once_at: null,
  jitter_ms: 120_000,
  expires_at: "2030-01-02T03:04:00.000Z",
  enabled: true,
  model: "opus",
  permission_mode: "acceptEdits",
  allowed_tools: ["Bash(git *)", "Read"],
  sources: [{ url: "https://example.org/a.git", ref: "next" }, { url: "https://example.org/b.git" }],
  environment_id: "env_1",
  overlap: "queue",
  catch_up: "all",
  timeout_s: 1_800,
  max_attempts: 2,
  max_turns: 40,
  budget_usd: 1.25,
  on_crash: "restart",
  questions: "ask",
  notify: [{ kind: "ntfy", target: "https://ntfy.example.org/x", on: "ended" }],
  push_branches: ["docs/*"],
  protected_branches: ["stable"],
  comment: true,
  version: 3,
  next_run_at: null,
  disabled_reason: null,
  failures_in_row: 0,
  last_run: null,
  webhooks: [],
  may_change: true,
};

test("a routine that goes through the form comes out as it was", () => {
  const body = bodyOf(formOf(ROUTINE));
  const written = Object.keys(body).map((name) => [name, ROUTINE[name as keyof ShownRoutine]]);
  expect(body).toEqual(Object.fromEntries(written));
  expect(changesIn(formOf(ROUTINE), formOf(ROUTINE))).toEqual({});
});

test("only what was changed is sent, a time replaces a line, and an empty field is none", () => {
  const before = formOf(ROUTINE);
  const after = {
    ...before,
    when: "once" as const,
    once: "2031-05-06T07:08",
    budget: " ",
    turns: "many",
    minutes: "1.5",
  };
  expect(changesIn(before, after)).toEqual({
    cron_expression: null,
    run_once_at: new Date("2031-05-06T07:08").toISOString(),
    budget_usd: null,
    max_turns: "many",
    timeout_s: 90,
  });
  expect(bodyOf({ ...emptyForm(""), sources: [{ url: " ", ref: "x" }] })).toMatchObject({ zone: "UTC", sources: [] });
});

test("what somebody else saved meanwhile is taken over where nothing was typed, and told where both changed the same", () => {
  const before = formOf(ROUTINE);
  const theirs = { ...before, prompt: "Theirs", name: "Both", comment: false, model: "same" };
  const typed = { ...before, name: "Mine", turns: "7", comment: true, model: "same" };
  expect(merge(before, typed, theirs)).toEqual({
    values: { ...theirs, name: "Mine", turns: "7" },
    conflicts: [{ field: "name", theirs: "Both" }],
  });
  const lists = merge(before, { ...before, sources: [] }, { ...before, sources: [{ url: "u", ref: "r" }] });
  expect(lists.conflicts).toEqual([{ field: "sources", theirs: "u r" }]);
});

test("fieldOf() finds the field that a message of the API is about", () => {
  expect(
    ["name: required", "notify[0].target: must be a name", "There are 500 routines already", "If-Match: no"].map(
      fieldOf,
    ),
  ).toEqual([
    { field: "name", problem: "required" },
    { field: "notify", problem: "must be a name" },
    undefined,
    undefined,
  ]);
});

// Where git runs, and which shell runs commands. See `shell-data.ts`.

import { expect, test } from "bun:test";
import { MUST_ASK, MUST_DENY, MUST_RUN } from "./tables/shell-data.ts";
import { commandRows, decideCommand, judgeCommand } from "./judge.test-support.ts";

const rows = commandRows({ allow: MUST_RUN, ask: MUST_ASK, deny: MUST_DENY });

test.each(rows)("$verdict, $kind: $command", ({ verdict, command, setup }) => {
  expect(judgeCommand(command, setup)).toBe(verdict);
});

test("each question gives its reason", () => {
  const why = (kind: string) => {
    const { setup, command } = rows.find((row) => row.kind === kind && row.verdict === "ask")!;
    const decision = decideCommand(command, setup);
    return decision.behavior === "ask" ? decision.reason : decision.behavior;
  };
  expect([
    why("a nested repository, entered before"),
    why("a folder that the text does not show"),
    why("a repository the command may create"),
    why("a shell other than bash"),
    why("text that bash 3.2 would run"),
  ]).toEqual([
    "This command requires approval: in '/repo/nested', git may run a program set by core.fsmonitor",
    "This command requires approval: git runs in a folder that the text does not show",
    "This command requires approval: it creates files that git may take its settings from",
    "This command requires approval: no bash was found, so commands cannot be checked; install bash",
    "This command requires approval: bash 3.2 would read its quotes differently; pass long texts on standard input, as `git commit -F -` reads them",
  ]);
});

test("a rule is suggested only if it would settle the question", () => {
  const suggested = (setup: object) => {
    const decision = decideCommand("git status", setup);
    return decision.behavior === "ask" && decision.suggestions?.length;
  };
  const looking = "git may run a program set by core.fsmonitor";
  expect(suggested({ git: { "/repo": { looking, acting: looking } } })).toBe(0);
  expect(suggested({ git: { "/repo": { looking } } })).toBe(1);
});

test.each([
  ["git push origin main", ["git push *"]],
  ["git push --force origin main", ["git push --force origin main"]],
  ["git push origin +main", ["git push origin +main"]],
  ["git reset --hard", ["git reset --hard"]],
  ["git branch -D old", ["git branch -D old"]],
  ["docker system prune -a", ["docker system prune -a"]],
  ["rm -rf build", ["rm -rf build"]],
  ["npm test && git push -f", ["npm test *", "git push -f"]],
])("for %j, no rule is suggested that covers what destroys more: %j", (command, rules) => {
  const decision = decideCommand(command, {});
  const suggested = decision.behavior === "ask" ? (decision.suggestions ?? []) : [];
  const lasting = suggested.filter(({ destination }) => destination !== "session");
  expect(
    lasting.flatMap((update) => ("rules" in update ? update.rules.map(({ ruleContent }) => ruleContent) : [])),
  ).toEqual(rules);
});

// What a session at a terminal has and headless ones do not: lines about the mode, file checkpoints, variables.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { transcriptFiles } from "@keelson/testkit";
import { until } from "../processes.ts";
import { startTerminal } from "@keelson/testkit/terminal";
import { isIdle, openAtTerminal } from "./at-terminal.ts";

test("a resumed session is in the mode it was left in, unless a flag names one", async () => {
  await using at = await openAtTerminal([{ text: "first answer" }]);
  const { terminal, home, model } = at;
  terminal.press("shift+tab");
  await terminal.until("accept edits");
  terminal.type("hello\r");
  await terminal.until("first answer");
  await terminal.until(isIdle);
  terminal.press("shift+tab");
  await terminal.until("plan mode on");
  terminal.press("ctrl+d", "ctrl+d");
  await terminal.exited;
  for (const [args, shown] of [
    [["--continue"], "plan mode on"],
    [["--continue", "--permission-mode", "default"], "? for shortcuts"],
  ] as const) {
    await using resumed = startTerminal({ home, url: model.url, args });
    await resumed.until("first answer");
    await resumed.until(shown);
    resumed.press("ctrl+d", "ctrl+d");
    await resumed.exited;
  }
});

test("the transcript has the modes, files have checkpoints, and commands know where they run", async () => {
  const write = { calls: [{ name: "Write", input: { file_path: "new.txt", content: "one" } }] };
  const env = { calls: [{ name: "Bash", input: { command: "env > seen.env" } }] };
  await using at = await openAtTerminal([{ text: "first answer" }, write, env, { text: "second answer" }], {
    settings: { permissions: { allow: ["Bash(env *)"] } },
  });
  const { terminal, home } = at;
  const lines = () =>
    transcriptFiles(home).flatMap((path) =>
      // The file may be there before its first line.
      (readFileSync(path, "utf8").match(/.+(?=\n)/g) ?? []).map((line) => JSON.parse(line)),
    );
  // Written at the end of each run.
  const ends = () => lines().filter(({ type }) => type === "cost-state");
  terminal.press("shift+tab");
  await terminal.until("accept edits");
  terminal.type("hello");
  terminal.press("enter");
  await until(() => ends().length === 1);
  const modes = () => lines().filter(({ type }) => type === "permission-mode");
  // The first change is recorded too if the prompt overtook it.
  const before = modes().length;
  for (let number = 1; number <= 4; number++) {
    terminal.press("shift+tab");
    await until(() => modes().length === before + number);
  }
  terminal.type("go on");
  terminal.press("enter");
  await until(() => ends().length === 2);
  const chosen = modes().slice(before);
  expect(chosen.map(({ permissionMode }) => permissionMode)).toEqual(["plan", "auto", "default", "acceptEdits"]);
  expect(lines().some(({ type }) => type === "file-history-delta")).toBe(true);
  expect(existsSync(join(home.project, "new.txt"))).toBe(true);
  const seen = readFileSync(join(home.project, "seen.env"), "utf8");
  for (const variable of [
    "CLAUDECODE=1",
    "CLAUDE_CODE_ENTRYPOINT=cli",
    "CLAUDE_CODE_CHILD_SESSION=1",
    "GIT_EDITOR=true",
  ])
    expect(seen).toContain(`${variable}\n`);
  for (const name of ["CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_EXECPATH", "AI_AGENT"]) expect(seen).toContain(`${name}=`);
});

// Commands hidden in words, in text that builtins run, and behind names with a new meaning: none of them runs unasked,
// and a deny rule finds them. The real program; the hidden command only creates a file.

import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { runKeelson, startMockModel, temporaryHome, type ScriptedCall, type TemporaryHome } from "@keelson/testkit";
import { resultOf, STREAM, told } from "../front-door.ts";

const bash = (command: string): ScriptedCall => ({ name: "Bash", input: { command } });

const HIDDEN = [
  "cat 3<(touch found)",
  "ls {fd}<(touch found)",
  "x=(a $(touch found))b",
  "echo ${x[$(touch found)}]}",
  "echo ${x:-\\\n$(touch found)}",
  "echo $\\\n(touch found)",
  "ls >&'x$(touch found)'",
  'ls >&$"<(touch found)"',
  "x['$(touch found)']=1",
  "cat <<E\n$\\\n(touch found)\nE",
  "trap -- 'touch found' EXIT",
  "mapfile -tC 'touch found' -c 1 x <<< a",
  "hash -p /usr/bin/touch ls; ls found",
  "PS4='$(touch found)'; set -x; ls",
  "x='$(touch found)'; echo ${x@P}",
  "x='a[$(touch found)]'; echo $((x))",
  ". /dev/stdin <<< 'touch found'",
  "echo 'touch found' | sh",
  "printf '%s\\n' 'touch found' | bash -s",
  "shopt -s expand_aliases; alias ls=touch\nls found",
  "ls() { touch found; }; ls",
] as const;

test("a hidden command is not run without approval, also under rules for what hides it", async () => {
  using home = temporaryHome();
  const names = ["cat", "ls", "echo", "trap", "mapfile", "hash", "alias", "shopt", "set", "printf", "."];
  home.settings({ permissions: { allow: names.map((name) => `Bash(${name}:*)`) } });
  const { results, denied } = await call(home, [...HIDDEN, "echo plain"]);
  expect(denied).toEqual([...HIDDEN]);
  expect(results.at(-1)).toBe("plain");
  expect(readdirSync(home.project)).not.toContain("found");
});

test("a deny rule finds a hidden command, and the refusal says why", async () => {
  using home = temporaryHome();
  home.settings({ permissions: { allow: ["Bash"], deny: ["Bash(touch:*)"] } });
  const { results, denied } = await call(home, [...HIDDEN, 'log() { echo "$1"; }; log $((1 + 1))']);
  expect(denied).toEqual([...HIDDEN]);
  for (const text of results.slice(0, -1)) expect(text).toContain("touch");
  expect(results[0]).toContain("a process substitution is part of a longer word");
  expect(results.at(-1)).toBe("2");
  expect(readdirSync(home.project)).not.toContain("found");
});

/** One call after the other: what the model read of each, and which were denied. */
async function call(home: TemporaryHome, commands: readonly string[]) {
  await using model = await startMockModel([
    ...commands.map((command) => ({ calls: [bash(command)] })),
    { text: "done" },
  ]);
  const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });
  const results: string[] = model.requests.slice(1).map((request) => told(request)[0].content);
  const denied: string[] = resultOf(ended).permission_denials.map(({ tool_input }: any) => tool_input.command);
  return { results, denied };
}

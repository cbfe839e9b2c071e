// Commands that ran something, or reached a file, that no one had agreed to, through the front door. No one answers, so
// that asking is refusing; what looks alike still runs.

import { expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, type TemporaryHome } from "@keelson/testkit";
import { resultOf, STREAM, told } from "../front-door.ts";

const SECRET = "open-sesame-4712";
const REFUSED = /requires approval|was blocked|was not granted/;

function hostileHome(): TemporaryHome {
  const home = temporaryHome();
  const outside = join(home.root, "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "secret"), SECRET);
  home.write("a.txt", "inside\n");
  home.write("src/b.txt", "inside\n");
  home.write("d2/x", "inside\n");
  home.write("Makefile", "all:\n\t@echo $(CI)\n");
  // What `ls` is once PATH is 0.
  home.write("0/ls", "#!/bin/sh\n: > pwned\n");
  chmodSync(join(home.project, "0/ls"), 0o755);
  for (const folder of ["d1", "tree", "deep/er"]) mkdirSync(join(home.project, folder), { recursive: true });
  symlinkSync(join(outside, "secret"), join(home.project, "d1/x"));
  symlinkSync(join(outside, "secret"), join(home.project, "tree/a.txt"));
  symlinkSync(join(outside, "secret"), join(home.project, "😀"));
  symlinkSync(join(outside, "secret"), Buffer.concat([Buffer.from(join(home.project, "src/")), Buffer.from([0xff])]));
  // Inside from where it lies, outside from where it is moved to.
  symlinkSync("../outside/secret", join(home.project, "deep/er/link"));
  return home;
}

/** What the model was told about each of these commands, run one after the other. */
async function tell(home: TemporaryHome, commands: readonly string[], flags: readonly string[] = []) {
  const calls = commands.map((command) => ({ calls: [{ name: "Bash", input: { command } }] }));
  await using model = await startMockModel([...calls, { text: "done" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM, ...flags], { home, url: model.url });
  expect(resultOf(ended).subtype).toBe("success");
  return model.requests.slice(1).map((request) =>
    told(request)
      .map(({ content }) => String(content))
      .join("\n"),
  );
}

test("nothing runs and nothing outside is shown by commands that seem to look only", async () => {
  using home = hostileHome();
  const commands = ["printf %ln PATH; ls", "jq -n '$ ENV'", "cat ?", "cat src/*", "diff d1 d2", "diff d1/x a.txt"];
  const results = await tell(home, commands);
  expect(commands.filter((_, at) => !REFUSED.test(results[at]!))).toEqual([]);
  expect(results.join("\n")).not.toContain(SECRET);
  expect(existsSync(join(home.project, "pwned"))).toBe(false);
});

test("accepting edits does not write through links, nor follow links that were moved", async () => {
  using home = hostileHome();
  const commands = [
    "cp a.txt tree",
    "cp -r a.txt tree/",
    "mv deep/er/link l && cat l",
    "cp -P deep/er/link l && echo x > l",
    "mv deep/er w && cat w/link",
  ];
  const results = await tell(home, commands, ["--permission-mode", "acceptEdits"]);
  expect(commands.filter((_, at) => !REFUSED.test(results[at]!))).toEqual([]);
  expect(results.join("\n")).not.toContain(SECRET);
  expect(readFileSync(join(home.root, "outside/secret"), "utf8")).toBe(SECRET);
});

test("a rule for make covers neither code in a variable nor a variable that is code", async () => {
  using home = hostileHome();
  home.settings({ permissions: { allow: ["Bash(make:*)", "Bash(cp:*)"] } });
  const commands = ["CI='$(shell touch pwned)' make all", "make 'x!=touch pwned'", "make 'a/b:=$(shell touch pwned)'"];
  const results = await tell(home, commands);
  expect(commands.filter((_, at) => !REFUSED.test(results[at]!))).toEqual([]);
  expect(existsSync(join(home.project, "pwned"))).toBe(false);
  const fine = await tell(home, ["cp a.txt src && cat src/a.txt", "printf '%s %5d\\n' a 5", "diff a.txt d2/x"]);
  expect(fine.map((text) => text.trim())).toEqual(["inside", "a     5", "(Bash completed with no output)"]);
});

test("a file name does not become a part of a script, in any mode or by any leave", async () => {
  using home = temporaryHome();
  home.write("f", "a\n");
  home.write("g", "ab\n");
  // `s,a*,b,` matches it, and as a script it runs what it makes of each line.
  home.write("s,a,touch pwned,e;s,x,b,", "");
  home.write("1e touch pwned", "");
  const attacks = ["sed -i s,a*,b, f", "sed -n 1* f", "sed -n --expression=s,a*,b, f", "ls | xargs -I{} sed -n {} f"];
  const refused = /would complete it; quote it|would become a part of it/;
  for (const flags of [
    ["--permission-mode", "acceptEdits"],
    ["--permission-mode", "plan"],
    ["--allowedTools", "Bash(sed:*)", "Bash(ls:*)", "Bash(xargs:*)"],
  ]) {
    const answers = await tell(home, attacks, flags);
    for (const answer of answers) expect(JSON.stringify(answer)).toMatch(refused);
    expect(existsSync(join(home.project, "pwned"))).toBe(false);
  }
  await tell(home, ["sed -i 's,a*,c,' g"], ["--permission-mode", "acceptEdits"]);
  expect(home.read("g")).toBe("cb\n");
});

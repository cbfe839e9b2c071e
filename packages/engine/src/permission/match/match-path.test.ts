// Path rules: the names a file may have, and that a rule set is compiled once.

import { expect, test } from "bun:test";
import { analyseCommand } from "../command/analysis/command.ts";
import { decide } from "../decide.ts";
import { bash, question, read, rulesOf, ruleOf, type Verdict } from "../gate.test-support.ts";
import { hiddenFiles } from "../rules/hidden.ts";
import { matchesPath, mayLieIn, newMatchers } from "./match-path.ts";

const anchors = { cwd: "/repo", home: "/home/me", directories: ["/repo"] };

test.each<[string, string, Verdict]>([
  ["Read(.env)", "/repo/.ENV", "deny"],
  ["Read(.env)", "/REPO/.env", "deny"],
  ["Read(.env)", "/repo/.env.", "deny"],
  ["Read(.env)", "/repo/.env ", "deny"],
  ["Read(.env)", "/repo//.env", "deny"],
  ["Read(.env)", "//repo/.env", "deny"],
  ["Read(.env)", "/proc/self/root/repo/.env", "deny"],
  ["Read(.env)", "/proc/1234/root/repo/.env", "deny"],
  ["Read(.env)", "/proc/thread-self/root/proc/self/root/repo/.env", "deny"],
  ["Read(.env)", "/proc/self/task/1/root/repo/.env", "deny"],
  ["Read(.env)", "/proc/self/cwd/.env", "deny"],
  ["Read(/secrets/**)", "/proc/self/cwd/secrets/key", "deny"],
  ["Read(/secrets/**)", "/repo/secrets/...", "deny"],
  ["Read(~/.ssh/**)", "/HOME/me/.ssh/id", "deny"],
  ["Read(~/.ssh/**)", "/System/Volumes/Data/home/me/.ssh/id", "deny"],
  ["Read(//etc/shadow)", "/proc/self/root/etc/shadow", "deny"],
  ["Read(/Straße)", "/repo/STRASSE", "allow"],
  ["Read(/café)", "/repo/cafe\u0301", "deny"],
  ["Read(.env)", "/repo/.envx", "allow"],
  ["Read(.env)", "/repo/x.env", "allow"],
])("%s and %j: %s", (rule, path, expected) => {
  expect(read(path, { with: { deny: [rule] } }).behavior).toBe(expected);
});

test("the same detours do not help a command, and do not make a removal harmless", () => {
  const deny = { mode: "bypassPermissions", with: { deny: ["Read(.env)"] } } as const;
  for (const command of [
    "cat /proc/self/root/repo/.env",
    "cat /proc/self/cwd/.env",
    "cat /proc/$$/cwd/../.env /REPO/.Env",
    "exec 3< .env; cat /dev/fd/3",
    "cat //repo//.env",
    "cat .env.",
  ]) {
    expect([command, bash(command, deny).behavior]).toEqual([command, "deny"]);
  }
  for (const command of ["rm -rf /proc/self/root", "rm -rf /proc/self/cwd", "rm -rf /proc/self/root/home/me/*"]) {
    expect([command, bash(command, { mode: "bypassPermissions" }).behavior]).toEqual([command, "ask"]);
  }
});

test("a path that goes through a name and back may lead anywhere", () => {
  const deny = { mode: "bypassPermissions", with: { deny: ["Read(//srv/key)"] } } as const;
  expect(bash("cat link/../key", deny).behavior).toBe("ask");
  expect(bash("cat /proc/self/cwd/../key", deny).behavior).toBe("ask");
  expect(bash("cat ../key ./a ..", deny).behavior).toBe("allow");
  expect(bash("cat link/../a").behavior).toBe("ask");
  expect(bash("cat < link/../a").behavior).toBe("ask");
  expect(bash("touch link/../a", { mode: "acceptEdits" }).behavior).toBe("ask");
  expect(bash("echo x > link/../a", { mode: "acceptEdits" }).behavior).toBe("ask");
  // If there is no `b` by the text, bash goes through the link after all.
  expect(bash("cd a/../b && ls").behavior).toBe("ask");
  expect(bash("echo a/../b").behavior).toBe("allow");
});

test("an allow rule is read literally", () => {
  const rule = ruleOf("allow", "Read(//etc/**)");
  expect(
    ["/etc/hosts", "/ETC/hosts", "/proc/self/root/etc/hosts"].map((path) => matchesPath(rule, path, anchors)),
  ).toEqual([true, false, false]);
});

test("mayLieIn() says whether a folder could contain what a rule denies", () => {
  const cases: [string, string, boolean][] = [
    ["Read(.env)", "/repo", true],
    ["Read(.env)", "/repo/a/b", true],
    ["Read(.env)", "/", true],
    ["Read(.env)", "/other", false],
    ["Read(/a/b)", "/repo/a", true],
    ["Read(/a/b)", "/repo/a/b/c", true],
    ["Read(/a/b)", "/repo/b", false],
    ["Read(/a/*/c)", "/repo/a/x", true],
    ["Read(/a/*/c)", "/repo/a/x/d", false],
    ["Read(a/**/c)", "/repo/a/x/y", true],
    ["Read(docs/*.md)", "/repo/docs", true],
    ["Read(docs/*)", "/repo/x/docs", false],
    ["Read(~/.ssh/**)", "/home", true],
    ["Read(~/.ssh/**)", "/HOME/ME/.SSH/x", true],
    ["Read(~/.ssh/**)", "/repo", false],
    ["Read(//etc/**)", "/etc", true],
    ["Read(!x)", "/repo", false],
  ];
  for (const [rule, folder, expected] of cases) {
    expect([rule, folder, mayLieIn(ruleOf("deny", rule), folder, anchors)]).toEqual([rule, folder, expected]);
  }
});

test("after the first decisions, a rule set is not compiled again", () => {
  const matchers = newMatchers();
  const rules = rulesOf({
    allow: ["Bash(npm run:*)", "Read(//etc/**)", "Edit(src/**)"],
    ask: ["Bash(git push:*)"],
    deny: ["Read(.env)", "Read(secrets/**)", "Edit(dist/**)", "Bash(rm -rf *)"],
  });
  const commands = [
    "ls -la",
    "git status && git diff",
    "npm run build 2>&1 | tail -20",
    "cat /etc/hosts",
    "echo x > src/a",
  ];
  const judge = (command: string) =>
    decide({
      ...question({ kind: "command", command, cwd: "/repo" }, "Bash", { analysis: analyseCommand(command), matchers }),
      rules,
    }).behavior;
  const first = commands.map(judge);
  const { compiled } = matchers;
  expect(compiled).toBeGreaterThan(0);
  for (let round = 0; round < 50; round++) expect(commands.map(judge)).toEqual(first);
  expect(matchers.compiled).toBe(compiled);
  expect(matchers.byPattern.size).toBe(compiled);
});

test("the cache of a rule set stays small however many files are checked", () => {
  const matchers = newMatchers();
  const hidden = hiddenFiles(rulesOf({ deny: ["Read(*.pem)"] }))!;
  const where = { ...anchors, matchers };
  const shown = Array.from({ length: 10_000 }, (_, file) => `/repo/src/${file}.ts`);
  expect(shown.filter((path) => hidden(path, path, where))).toEqual([]);
  expect([matchers.compiled, matchers.byPattern.size]).toEqual([1, 1]);
});

test("a rule is anchored again when the shell has moved", () => {
  const matchers = newMatchers();
  const rule = ruleOf("deny", "Read(x/key)");
  const at = (cwd: string) => matchesPath(rule, "/repo/sub/x/key", { ...anchors, cwd, matchers });
  expect([at("/repo"), at("/repo/sub"), at("/repo")]).toEqual([false, true, false]);
});

test("hiddenFiles() checks both names of a file, and knows when there is nothing to hide", () => {
  const others = rulesOf({ deny: ["Bash(rm:*)", "Edit(a)"], ask: ["Read(a)"], allow: ["Read(a)"] });
  expect(hiddenFiles(others)).toBe(undefined);
  const hidden = hiddenFiles(rulesOf({ deny: ["Read(secrets/**)"] }))!;
  expect(hidden("/repo/secrets/a", "/repo/secrets/a", anchors)).toBe(true);
  expect(hidden("/repo/link", "/repo/secrets/a", anchors)).toBe(true);
  expect(hidden("/repo/secrets/link", "/repo/a", anchors)).toBe(true);
  expect(hidden("/repo/a", "/repo/a", anchors)).toBe(false);
  expect(hiddenFiles(rulesOf({ deny: ["Read"] }))!("/repo/a", "/repo/a", anchors)).toBe(true);
});

test("hiddenFiles() applies to folders added later", () => {
  const hidden = hiddenFiles(rulesOf({ deny: ["Read(.env)"] }))!;
  const where = { ...anchors, matchers: newMatchers() };
  expect(hidden("/other/.env", "/other/.env", where)).toBe(false);
  expect(hidden("/other/.env", "/other/.env", { ...where, directories: ["/repo", "/other"] })).toBe(true);
});

test("a command with too much to compare is denied, not let through", () => {
  const deny = Array.from({ length: 600 }, (_, at) => `Read(dir${at}/x)`);
  const command = `cat ${Array.from({ length: 1_900 }, (_, at) => `f${at}`).join(" ")}`;
  const mode = "bypassPermissions";
  expect(bash(command, { mode, with: { deny } }).behavior).toBe("deny");
  expect(bash(command, { mode, with: { deny: deny.slice(0, 50) } }).behavior).toBe("allow");
});

test("a path longer than any system opens takes no longer than another", () => {
  const deny = { mode: "bypassPermissions", with: { deny: ["Read(x/**)", "Read(a/b)"] } } as const;
  expect(bash(`cat ${"a/".repeat(20_000)}y`, deny).behavior).toBe("allow");
  expect(bash(`cat a/${"c/".repeat(1_000)}b`, deny).behavior).toBe("allow");
  expect(bash(`cat x/${"a/".repeat(1_000)}b`, deny).behavior).toBe("deny");
});

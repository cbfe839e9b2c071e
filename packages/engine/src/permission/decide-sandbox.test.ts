// How the sandbox and the shield change a decision. Nothing is run: both are facts given to the gate.

import { expect, test } from "bun:test";
import { NOTHING_SAID } from "@keelson/protocol";
import { analyseCommand } from "./command/analysis/command.ts";
import { bash, type Verdict, type GateSetup } from "./gate.test-support.ts";
import { isExcluded } from "./rules/sandboxed.ts";

const sandbox = { active: true, autoAllow: true, allowUnsandboxed: true, excluded: ["docker *"] };

const shield = { ...sandbox, isShield: true, autoAllow: false, excluded: [] };

test.each<[string, GateSetup, Verdict]>([
  ["npm test", { sandbox }, "allow"],
  ["npm test", { sandbox, mode: "dontAsk" }, "allow"],
  ["npm test", { sandbox, mode: "plan" }, "ask"],
  ["npm test", { sandbox: { ...sandbox, autoAllow: false } }, "ask"],
  ["npm test", { sandbox: { ...sandbox, active: false } }, "ask"],
  ["npm test", { sandbox, with: { ask: ["Bash(npm:*)"] } }, "ask"],
  ["npm test", { sandbox, with: { deny: ["Bash(npm:*)"] } }, "deny"],
  ["cat .env", { sandbox, with: { deny: ["Read(.env)"] } }, "deny"],
  ["rm -rf /", { sandbox }, "ask"],
  ["rm -rf ~", { sandbox, with: { allow: ["Bash"] } }, "ask"],
  ["echo x > .git/hooks/pre-commit", { sandbox }, "ask"],
  ["npm 'test", { sandbox }, "ask"],
  // Excluded from the sandbox by a setting: judged as if there were no sandbox.
  ["docker run x", { sandbox }, "ask"],
  ["npm test; docker run x", { sandbox }, "ask"],
  ["npm test; docker run x", { sandbox, with: { allow: ["Bash(npm:*)", "Bash(docker:*)"] } }, "allow"],
  ["/usr/bin/docker run x", { sandbox }, "ask"],
  ["echo $(docker run x)", { sandbox }, "ask"],
  ["dockerx", { sandbox }, "allow"],
  // Requested by the call.
  ["npm test", { sandbox, unsandboxed: true }, "ask"],
  ["ls", { sandbox, unsandboxed: true }, "ask"],
  ["npm test", { sandbox, unsandboxed: true, mode: "bypassPermissions" }, "allow"],
  ["npm test", { sandbox, unsandboxed: true, with: { allow: ["Bash(npm:*)"] } }, "allow"],
  ["npm test", { sandbox, unsandboxed: true, with: { allow: ["Bash"] } }, "allow"],
  ["touch a", { sandbox, unsandboxed: true, mode: "acceptEdits" }, "ask"],
  ["npm test", { sandbox, unsandboxed: true, mode: "dontAsk" }, "deny"],
  ["docker ps", { sandbox, unsandboxed: true }, "ask"],
  ["ls", { sandbox: { ...sandbox, active: false }, unsandboxed: true }, "allow"],
  ["ls", { unsandboxed: true }, "allow"],
  // Only a person lifts the shield.
  ["ls", { unsandboxed: true, sandbox: shield }, "ask"],
  ["npm test", { unsandboxed: true, sandbox: shield, with: { allow: ["Bash"] } }, "ask"],
  ["npm test", { unsandboxed: true, sandbox: shield, hook: { ...NOTHING_SAID, verdict: "allow" } }, "ask"],
  ["npm test", { unsandboxed: true, sandbox: shield, mode: "dontAsk", with: { allow: ["Bash"] } }, "deny"],
  ["npm test", { unsandboxed: true, sandbox: shield, mode: "bypassPermissions" }, "allow"],
  ["npm test", { sandbox: shield, with: { allow: ["Bash"] } }, "allow"],
  ["npm test", { sandbox, unsandboxed: true, with: { allow: ["Bash"] } }, "allow"],
])("%j in %j: %s", (command, setup, expected) => {
  expect(bash(command, setup).behavior).toBe(expected);
});

test("leaving the sandbox is its own kind of question, and is refused if the settings say so", () => {
  expect(bash("ls", { sandbox, unsandboxed: true })).toMatchObject({
    behavior: "ask",
    by: "other",
    reason: "This command asks to run outside the sandbox",
    reasonType: "sandboxOverride",
  });
  const closed = { sandbox: { ...sandbox, allowUnsandboxed: false }, unsandboxed: true };
  for (const setup of [
    closed,
    { ...closed, mode: "bypassPermissions" },
    { ...closed, with: { allow: ["Bash"] } },
    { ...closed, with: { ask: ["Bash"] } },
  ] as const) {
    expect(bash("ls", setup)).toEqual({
      behavior: "deny",
      by: "other",
      message:
        "Commands cannot run outside the sandbox in this session (sandbox.allowUnsandboxedCommands is off). Run it without dangerouslyDisableSandbox.",
    });
  }
});

test("isExcluded() finds the command anywhere in the line, by what it is", () => {
  const cases: [string, string, boolean][] = [
    ["docker ps", "docker *", true],
    ["docker", "docker *", true],
    ["sudo docker ps", "docker:*", true],
    ["ls | (docker ps)", "docker *", true],
    ["echo docker ps", "docker *", false],
    ["docker 'ps", "docker *", false],
    ["npm run e2e", "npm run e2e", true],
    ["npm run e2e --x", "npm run e2e", false],
  ];
  for (const [command, pattern, expected] of cases) {
    expect([command, isExcluded(analyseCommand(command), [pattern])]).toEqual([command, expected]);
  }
});

test.each<[string, string, Verdict]>([
  ["grep -r x .", "Read(.env)", "ask"],
  ["grep -rn x src", "Read(.env)", "ask"],
  ["grep -R x", "Read(.env)", "ask"],
  ["grep --recursive x .", "Read(secrets/**)", "ask"],
  ["grep -r x src", "Read(/secrets/**)", "allow"],
  ["grep -r x /repo/secrets/..", "Read(/secrets/**)", "ask"],
  ["grep -r x /", "Read(/secrets/**)", "ask"],
  ["grep -r x /other", "Read(/secrets/**)", "allow"],
  ["grep x a.ts", "Read(.env)", "allow"],
  ["rg x", "Read(.env)", "ask"],
  ["rg x src", "Read(/src/private/key)", "ask"],
  ["rg x docs", "Read(/src/private/key)", "allow"],
  ["rg --files", "Read(.env)", "allow"],
  ["git grep x", "Read(.env)", "ask"],
  ["git status", "Read(.env)", "allow"],
  ["find . -exec cat {} +", "Read(.env)", "ask"],
  ["find . -name '*.ts'", "Read(.env)", "allow"],
  ["fd -x cat", "Read(.env)", "ask"],
  ["ls | xargs cat", "Read(.env)", "ask"],
  ["tar czf /tmp/x.tgz .", "Read(.env)", "ask"],
  ["tar -cf - src", "Read(/src/key)", "ask"],
  ["tar xzf a.tgz", "Read(.env)", "allow"],
  ["zip -r x.zip .", "Read(.env)", "ask"],
  ["cp -r . /tmp/x", "Read(.env)", "ask"],
  ["cp -a conf /tmp/x", "Read(/conf/key)", "ask"],
  ["cp a b", "Read(.env)", "allow"],
  ["rsync -a . host:", "Read(.env)", "ask"],
  ["diff -r a b", "Read(.env)", "ask"],
  ["cat *", "Read(key)", "ask"],
  ["cat conf*/key", "Read(/config/key)", "ask"],
  ["cat */key", "Read(/config/**)", "ask"],
  ["cat src/*.ts", "Read(/docs/*.ts)", "allow"],
  ['cat "$FILE"', "Read(.env)", "ask"],
  ['for f in *; do head "$f"; done', "Read(.env)", "ask"],
  ['echo "$FILE"', "Read(.env)", "allow"],
  ["ls -R .", "Read(.env)", "allow"],
  ["npm test", "Read(.env)", "allow"],
])("%j and %s under bypass, without a shield: %s; with one it runs", (command, rule, expected) => {
  const setup = { mode: "bypassPermissions", with: { deny: [rule] } } as const;
  expect(bash(command, setup).behavior).toBe(expected);
  expect(bash(command, { ...setup, shield: true }).behavior).toBe("allow");
});

test("the shield replaces deny rules about reading, and nothing else", () => {
  const bypass = { mode: "bypassPermissions", shield: true } as const;
  expect(bash("cat .env", { ...bypass, with: { deny: ["Read(.env)"] } }).behavior).toBe("deny");
  expect(bash("grep -r x .", { ...bypass, with: { ask: ["Read(.env)"] } }).behavior).toBe("ask");
  expect(bash("touch .e*", { ...bypass, with: { deny: ["Edit(.env)"] } }).behavior).toBe("ask");
  expect(bash("git $X", { ...bypass, with: { deny: ["Bash(git push:*)"] } }).behavior).toBe("ask");
});

// Git behind the shield: allowed commands work, and settings that run programs are undone. The real program, a local
// remote, a temporary home.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  runKeelson,
  startMockModel,
  temporaryHome,
  testUnless,
  type ScriptedCall,
  type TemporaryHome,
} from "@keelson/testkit";
import { messagesOf, STREAM, told } from "../front-door.ts";
import { confinementMissing } from "../needs-bubblewrap.ts";

const shielded = testUnless(confinementMissing(), test);
const bash = (command: string): ScriptedCall => ({ name: "Bash", input: { command } });
const NAMES = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b" };

function repository(rules: readonly string[]): TemporaryHome & { readonly git: (...words: string[]) => string } {
  const home = temporaryHome({ git: true });
  home.settings({ permissions: { allow: rules }, env: NAMES });
  const env = { ...home.env, ...NAMES };
  const git = (...words: string[]) => Bun.spawnSync(["git", ...words], { cwd: home.project, env }).stdout.toString();
  home.write("a.txt", "a\n");
  git("add", "a.txt");
  git("commit", "-qm", "one");
  git("branch", "-M", "main");
  git("clone", "-q", "--bare", ".", "../remote.git");
  return Object.assign(home, { git });
}

shielded("with rules that allow it, git works as usual", async () => {
  using home = repository(["Bash(git:*)"]);
  const commands = [
    "git remote add origin ../remote.git",
    "git push -u origin main",
    "git branch other",
    "git branch --set-upstream-to=origin/main other",
    "git checkout --track -b third origin/main",
    "git config user.email me@example.org",
    "git config --unset user.email",
    "git fetch --all",
    "git pull --ff-only",
    "git commit --allow-empty -m two",
    "git stash list",
    "git submodule add ../remote.git lib",
    "git submodule init",
    "git submodule update",
    "git commit -m lib",
    "git worktree add ../linked",
    "git worktree list",
    "git worktree remove ../linked",
    "git remote rename origin upstream",
    "git branch -m third fourth",
    "git push upstream fourth",
    "git init nested",
    "git clone ../remote.git copy",
  ];
  // Git refuses submodules from a path by default.
  home.git("config", "--global", "protocol.file.allow", "always");
  const results = await tell(home, commands);
  const failed = commands.filter((_, at) => results[at].is_error === true);
  expect(failed.map((command) => [command, results[commands.indexOf(command)].content])).toEqual([]);
  expect(home.git("config", "branch.fourth.remote").trim()).toBe("upstream");
  expect(home.git("-C", "lib", "log", "--format=%s").trim()).toBe("one");
  expect(home.git("status", "--porcelain", "--ignore-submodules", "--untracked-files=no")).toBe("");
});

shielded("a setting that runs a program is undone, and the next command does not run it", async () => {
  using home = repository(["Bash"]);
  home.write("evil.sh", "#!/bin/sh\ntouch pwned\n");
  Bun.spawnSync(["chmod", "+x", join(home.project, "evil.sh")]);
  const results = await tell(home, [
    "n=fsmonitor; git config core.$n $PWD/evil.sh",
    "git status",
    "n=insteadOf; git config url.ssh://evil.invalid/.$n https:// && git remote add good ../remote.git",
    "n=hooksPath; git config core.$n $PWD",
    "git commit --allow-empty -m two",
  ]);
  const said = results.map(({ content }) => content);
  expect(said[0]).toContain("core.fsmonitor. They were restored");
  expect(said[0]).toContain("dangerouslyDisableSandbox: true");
  expect(said[2]).toContain("insteadof. They were restored");
  expect(said[3]).toContain("core.hookspath. They were restored");
  expect(existsSync(join(home.project, "pwned"))).toBe(false);
  expect(home.git("config", "remote.good.url").trim()).toBe("../remote.git");
  expect(home.git("log", "-1", "--format=%s").trim()).toBe("two");
});

shielded("installing packages works, and a note says how to let them set git's hooks path", async () => {
  using home = repository(["Bash(npm:*)"]);
  const prepare = "mkdir -p .husky/_ && printf 'x' > .husky/_/h && git config core.hooksPath .husky/_";
  home.write(".husky/pre-commit", "true\n");
  home.write("package.json", JSON.stringify({ name: "x", version: "1.0.0", scripts: { prepare } }));
  const [result] = await tell(home, ["npm install --offline --no-audit --no-fund"]);
  expect({ failed: result.is_error === true, content: result.content }).toMatchObject({ failed: false });
  expect(result.content).toContain("core.hookspath. They were restored");
  expect(result.content).toContain("dangerouslyDisableSandbox: true");
  expect(readFileSync(join(home.project, ".husky/_/h"), "utf8")).toBe("x");
  expect(home.git("config", "core.hooksPath")).toBe("");
});

/** Runs the commands one at a time; returns their results. */
async function tell(home: TemporaryHome, commands: readonly string[]): Promise<readonly any[]> {
  await using model = await startMockModel([...commands.map((one) => ({ calls: [bash(one)] })), { text: "done" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });
  expect(messagesOf(ended, "result")).toHaveLength(1);
  return model.requests.slice(1).map((request) => told(request).find(({ type }) => type === "tool_result"));
}

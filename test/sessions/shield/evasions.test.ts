// Ways around the shield that do not write a protected path directly: what a command hides, poses as, leaves behind or lets
// others load. Neither this session nor the next one is affected.

import { expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import {
  runKeelson,
  startMockModel,
  temporaryHome,
  testUnless,
  type ScriptedCall,
  type TemporaryHome,
} from "@keelson/testkit";
import { ordinaryUserMissing, owned, program, through } from "../as-nobody.ts";
import { STREAM, told } from "../front-door.ts";
import { confinementMissing } from "../needs-bubblewrap.ts";
import { gone } from "../processes.ts";

const ordinary = testUnless(confinementMissing() ?? ordinaryUserMissing(), test);
const python = testUnless(confinementMissing() ?? ordinaryUserMissing() ?? absent("python3"), test);
const curl = testUnless(confinementMissing() ?? ordinaryUserMissing() ?? absent("curl"), test);
const AS_ORDINARY = { through, program };

function absent(name: string): string | null {
  return Bun.which(name) ? null : `${name} is not installed`;
}

const script = (name: string): ScriptedCall => ({ name: "Bash", input: { command: `sh ${name}` } });

/** Runs scripts of the project, one after the other. Returns what the model was told about each. */
async function session(home: TemporaryHome, scripts: readonly string[], how: object = AS_ORDINARY) {
  const calls = scripts.map((text, at) => {
    home.write(`script-${at}.sh`, `${text}\n`);
    return { calls: [script(`script-${at}.sh`)] };
  });
  await using model = await startMockModel([...calls, { text: "done" }]);
  const PATH = `${join(home.home, ".local/bin")}:/usr/local/bin:/usr/bin:/bin`;
  const options = { home: owned(home), url: model.url, env: { PATH }, ...how };
  const ended = await runKeelson(["-p", "go", ...STREAM, "--allowedTools", "Bash"], options);
  expect(ended.code).toBe(0);
  return model.requests.slice(1, scripts.length + 1).map((request) => told(request)[0].content as string);
}

const beforeTools = (command: string) => ({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command }] }] } });

function homeWithHook(): TemporaryHome {
  const home = temporaryHome({ git: true });
  chmodSync(home.write("~/.local/bin/named-hook", '#!/bin/sh\necho real >>"$HOME/ran"\n'), 0o755);
  home.settings(beforeTools("named-hook"));
  return home;
}

const FAKE_HOOK = `
mkdir -p ~/.local/bin
printf '#!/bin/sh\\necho planted >>"$HOME/ran"\\n' >~/.local/bin/named-hook
chmod 755 ~/.local/bin/named-hook`;

const DEEP = `
import os
home = os.open(os.environ["HOME"], os.O_RDONLY)
for _ in range(20):
    os.mkdir("a" * 250)
    os.chdir("a" * 250)
os.rename(".local", "x", src_dir_fd=home)`;

ordinary.each([
  ["into a folder that no one may enter", "mkdir d; mv ~/.local d/x; chmod 000 d"],
  ["into one, and is closed itself", "mkdir d; mv ~/.local d/x; chmod 000 d/x d"],
  ["deeper than a path can say", `python3 -c '${DEEP}'`],
])("a folder of programs that is moved %s comes back", async (_, move) => {
  using home = homeWithHook();
  const [first] = await session(home, [move + FAKE_HOOK, "true"]);
  expect(first).toContain(`A command moved '${join(home.home, ".local")}'`);
  expect(first).toContain("so it was moved back");
  await session(home, ["true"]);
  expect(home.read("~/ran")).toBe("real\nreal\nreal\n");
  Bun.spawnSync(["chmod", "-R", "u+rwx", home.root]);
});

ordinary("a protected name is moved aside from a folder that was made read-only", async () => {
  using home = temporaryHome({ git: true });
  const [first] = await session(home, [
    "mkdir -p ~/.config/git; echo a >~/.config/git/config; echo a >~/.npmrc; echo a >.mcp.json; chmod 555 ~ ~/.config .",
  ]);
  for (const name of ["home/.npmrc", "home/.config/git", "project/.mcp.json"])
    expect(first).toMatch(new RegExp(`${name}', which is protected: it was moved to`));
  expect([".npmrc", ".config/git"].filter((name) => existsSync(join(home.home, name)))).toEqual([]);
  expect(existsSync(join(home.project, ".mcp.json"))).toBe(false);
  Bun.spawnSync(["chmod", "-R", "u+rwx", home.root]);
});

ordinary.each([
  ["this user", { program: process.env["KEELSON_BIN"] }],
  ["an ordinary user", AS_ORDINARY],
])("as %s, a folder that poses as a stand-in is not one", async (_, how) => {
  using home = temporaryHome({ git: true });
  const later = "while [ ! -e go ]; do sleep 0.05; done; echo a >.vscode/tasks.json; touch written; sleep 60";
  const [, second] = await session(
    home,
    [`mkdir -m 1755 .vscode\n(${later}) >/dev/null 2>&1 &`, "touch go; while [ ! -e written ]; do sleep 0.05; done"],
    how,
  );
  expect(second).toContain(".vscode', which is protected: it was moved to");
  expect(readdirSync(home.project)).not.toContain(".vscode");
});

const CHROOT = `
import ctypes, os, resource, time
project = os.open(".", os.O_RDONLY)
os.mkdir("empty")
assert ctypes.CDLL(None).unshare(0x10000000) == 0
os.chroot("empty")
os.chdir("/")
LIMIT
file = os.open("pid", os.O_CREAT | os.O_WRONLY, dir_fd=project)
os.write(file, str(os.getpid()).encode())
time.sleep(600)`;

python.each([
  ["", "pass"],
  [" and of its limit", "resource.setrlimit(10, (5, 5))"],
  [" and poses as one of another session", "resource.setrlimit(10, (100000000000000000, 100000000000000000))"],
])("a process that got rid of its mounts%s ends with the session", async (_, limit) => {
  using home = temporaryHome({ git: true });
  home.write("hide.py", CHROOT.replace("LIMIT", limit));
  await session(home, ["setsid env -i python3 hide.py >/dev/null 2>&1 &\nwhile [ ! -s pid ]; do sleep 0.05; done"]);
  const pid = Number(home.read("pid"));
  expect(pid).toBeGreaterThan(1);
  await gone(pid);
});

ordinary("what start files load runs behind the shield", async () => {
  using home = temporaryHome({ git: true });
  home.write("~/.bashrc", '. "$HOME/.nvm/nvm.sh"\n');
  home.write("~/.nvm/nvm.sh", "nvm() { echo version manager; }\n");
  await session(home, ["echo 'echo a >~/.claude/planted; cat /proc/self/mountinfo >~/seen' >>~/.nvm/nvm.sh"]);
  await using model = await startMockModel([
    { calls: [{ name: "Bash", input: { command: "nvm" } }] },
    { text: "done" },
  ]);
  const options = { home: owned(home), url: model.url, ...AS_ORDINARY };
  await runKeelson(["-p", "go", "--allowedTools", "Bash"], options);
  expect(told(model.requests[1]!)[0].content).toBe("version manager");
  expect(home.read("~/seen")).toContain(`${join(home.home, ".claude")} ro,`);
  expect(existsSync(join(home.configDir, "planted"))).toBe(false);
});

python(
  "a hook that runs Python takes no module from the working directory, and a script finds those beside it",
  async () => {
    using home = temporaryHome({ git: true });
    home.write("~/.claude/hooks/inner.sh", "python3 -c 'import json'\n");
    home.write("~/.claude/hooks/script.py", "import beside\n");
    home.write("~/.claude/hooks/beside.py", `open("${home.root}/beside", "a").write("x")\n`);
    const commands = ['python3 -c "import json"', "sh ~/.claude/hooks/inner.sh", "python3 ~/.claude/hooks/script.py"];
    const hooks = commands.map((command) => ({ type: "command", command }));
    home.settings({ hooks: { PreToolUse: [{ hooks }] } });
    await session(home, [`echo 'open("${home.root}/loaded", "w")' >json.py`, "true"]);
    await session(home, ["true"]);
    expect(existsSync(join(home.root, "loaded"))).toBe(false);
    expect(home.read("../beside")).toBe("xxx");
  },
);

curl("a program that a hook uses gets no start file from a command", async () => {
  using home = temporaryHome({ git: true });
  home.write("~/.toolrc", "mine\n");
  home.settings(beforeTools("curl -s http://127.0.0.1:1/ || true"));
  const planted = `echo a >a; printf 'url=file://%s/a\\noutput=%s/.claude/planted\\n' "$PWD" "$HOME" >~/.curlrc`;
  const [first, second] = await session(home, [planted, "echo a >~/.toolrc; echo a >~/.tool_history"]);
  expect(first).toContain(".curlrc', which is protected: it was moved to");
  expect(second).toContain("Read-only file system");
  await session(home, ["true"]);
  expect(existsSync(join(home.configDir, "planted"))).toBe(false);
  expect([home.read("~/.toolrc"), home.read("~/.tool_history")]).toEqual(["mine\n", "a\n"]);
});

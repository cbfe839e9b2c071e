// Which shell runs commands: bash, with the variables of zsh for those who use it; and what happens without bash.

import { expect, test } from "bun:test";
import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, testUnless, type TemporaryHome } from "@keelson/testkit";
import { resultOf, STREAM, told } from "../front-door.ts";
import { confinementMissing } from "../needs-bubblewrap.ts";

const zsh = Bun.which("zsh") ?? "";
if (zsh === "" && process.env["CI"]) throw new Error("zsh is not installed: run scripts/ci-packages.sh");
const withZsh = testUnless(zsh === "" ? "zsh is not installed" : null, test);
const withoutBash = testUnless(confinementMissing(["bwrap", "zsh"]), test);

interface Visit {
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly through?: readonly string[];
}

/** Runs each command in its own turn. */
async function visit(home: TemporaryHome, commands: readonly string[], { flags = [], env = {}, through = [] }: Visit) {
  const turns = commands.map((command) => ({ calls: [{ name: "Bash", input: { command } }] }));
  await using model = await startMockModel([...turns, { text: "done" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM, ...flags], { home, url: model.url, env, through });
  const denied = new Set(resultOf(ended).permission_denials.map(({ tool_use_id }: any) => tool_use_id));
  return model.requests.slice(1).map((request) => {
    const { tool_use_id, content } = told(request)[0];
    return { verdict: denied.has(tool_use_id) ? "denied" : "ran", text: String(content) };
  });
}

const ALL = { flags: ["--allowedTools", "Bash"], env: { SHELL: zsh } };

withZsh("a zsh user's commands run in bash, with the variables of their zsh and nothing else from it", async () => {
  using home = temporaryHome();
  home.write("~/.zshenv", "export FROM_ZSHENV=environment\n");
  home.write("~/.zprofile", "path=(~/profile-bin $path)\nexport FROM_PROFILE='it'\\''s $HOME \"here\"'\n");
  home.write(
    "~/.zshrc",
    [
      "export FROM_RC=$'two\\nlines' ANTHROPIC_API_KEY=from-zsh CDPATH=/usr BASH_ENV=/nowhere/x NOT_EXPORTED=1",
      "typeset +x NOT_EXPORTED",
      "alias -g G='| grep'",
      "alias ls='echo alias of zsh' print='echo broken' builtin='echo broken'",
      "pwd() { echo function of zsh }",
      "setopt extendedglob",
      "echo noise; sleep 0 &",
    ].join("\n"),
  );
  const commands = [
    'echo "$BASH_VERSION" | grep -c .; echo "$ZSH_VERSION"',
    'printf "%s\\n" "$FROM_ZSHENV" "$FROM_PROFILE" "$FROM_RC"',
    'echo "[$ANTHROPIC_API_KEY$CDPATH$BASH_ENV$NOT_EXPORTED]"; echo "$PATH" | tr : "\\n" | grep -c profile-bin',
    "ls -d .; pwd",
    "path=./d; ls -d .",
  ];
  const answers = await visit(home, commands, ALL);
  expect(answers.map(({ text }) => text)).toEqual([
    "1",
    `environment\nit's $HOME "here"\ntwo\nlines`,
    "[]\n1",
    `.\n${home.project}`,
    ".",
  ]);
});

withZsh("what is harmless in bash but not in zsh stays harmless for a zsh user", async () => {
  using home = temporaryHome();
  const ran = join(home.root, "ran");
  chmodSync(home.write("d/ls", `#!/bin/sh\necho ls >>"${ran}"\n`), 0o755);
  home.write("~/.zshrc", `alias -g B='; touch ${ran}'\n`);
  const commands = [
    "path=./d; ls",
    `functions="ls() { touch ${ran} }"; ls`,
    "[ -t x ]",
    "echo B",
    `echo *(e:'touch ${ran}':)`,
  ];
  await visit(home, commands, { env: { SHELL: zsh } });
  expect(existsSync(ran)).toBe(false);
});

/** A machine on which no bash can be started. */
const NO_BASH = ["/bin/bash", "/usr/bin/bash"].filter((path) => existsSync(path));
const hidden = ["bwrap", "--dev-bind", "/", "/", ...NO_BASH.flatMap((path) => ["--ro-bind", "/dev/null", path]), "--"];

withoutBash("where there is no bash, commands run in zsh, and all of them need approval", async () => {
  using home = temporaryHome();
  home.write("a.txt", "a");
  const away = { through: hidden, env: { SHELL: "/bin/bash", PATH: "/usr/local/bin:/usr/bin:/bin" } };
  const looks = ["ls", "cat a.txt", "git status", "path=./d; ls"];
  const asked = await visit(home, looks, { ...away, flags: ["--allowedTools", "Bash(ls:*)", "Bash(git status)"] });
  expect(asked.map(({ verdict }) => verdict)).toEqual(["denied", "denied", "denied", "denied"]);
  expect(asked[0]!.text).toContain("no bash was found, so commands cannot be checked; install bash");

  const allowed = await visit(home, ['echo "$ZSH_VERSION$BASH_VERSION" | grep -c .', "cat a.txt"], {
    ...away,
    flags: ["--allowedTools", "Bash"],
  });
  expect(allowed).toEqual([
    { verdict: "ran", text: "1" },
    { verdict: "ran", text: "a" },
  ]);

  const denying = ["--allowedTools", "Bash", "--disallowedTools", "Bash(rm:*)"];
  const refused = await visit(home, ["=rm a.txt", "rm a.txt"], { ...away, flags: denying });
  expect(refused.map(({ verdict }) => verdict)).toEqual(["denied", "denied"]);
  expect(existsSync(join(home.project, "a.txt"))).toBe(true);

  const doctor = await runKeelson(["doctor"], { home, env: away.env, through: hidden });
  expect(doctor.stdout).toContain("zsh; bash was not found, so every command requires approval; install bash");
});

test("doctor says that CLAUDE_CODE_SHELL names something that cannot be used", async () => {
  using home = temporaryHome();
  const shell = async (path: string) => {
    const { stdout } = await runKeelson(["doctor", "--json"], { home, env: { CLAUDE_CODE_SHELL: path } });
    return JSON.parse(stdout).findings.find(({ name }: any) => name === "shell");
  };
  const bash = Bun.which("bash")!;
  expect(await shell(bash)).toEqual({ name: "shell", state: "ok", text: bash });
  expect(await shell("/no/such/bash")).toMatchObject({
    state: "note",
    details: ['CLAUDE_CODE_SHELL is "/no/such/bash", which is not used: set it to the path of bash or zsh'],
  });
});

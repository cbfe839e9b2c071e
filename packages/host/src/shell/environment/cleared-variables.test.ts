// Starts a bash with everything in its environment that could change the meaning of a command, and one after the user's
// scripts tried the same.

import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandEnvironment } from "./child-env.ts";
import { CLEARED_VARIABLES, isKeptOption } from "./cleared-variables.ts";
import { scriptFor } from "../script.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "keelson-meaning-")));
afterAll(() => rmSync(place, { recursive: true, force: true }));
const project = join(place, "project");
for (const folder of ["project/sub", "elsewhere/sub", "bin"]) mkdirSync(join(place, folder), { recursive: true });
writeFileSync(join(project, "ls"), "#!/bin/sh\necho planted\n");
chmodSync(join(project, "ls"), 0o755);
writeFileSync(join(project, ".hidden"), "");
writeFileSync(join(project, "a b"), "");
writeFileSync(join(place, "planted.sh"), "echo planted\n");
symlinkSync(project, join(place, "link"));

const HOSTILE = {
  BASH_ENV: join(place, "planted.sh"),
  ENV: join(place, "planted.sh"),
  CDPATH: join(place, "elsewhere"),
  GLOBIGNORE: "sub",
  IFS: "u",
  SHELLOPTS: "braceexpand:noglob:xtrace",
  BASHOPTS: "dotglob:nullglob:extglob:cdable_vars",
  PS4: "$(echo planted)",
  PROMPT_COMMAND: "echo planted",
  "BASH_FUNC_pwd%%": "() { echo planted; }",
  "BASH_FUNC_ls()": "() { echo planted; }",
  POSIXLY_CORRECT: "1",
  BASH_COMPAT: "3.1",
  EXECIGNORE: "/*",
  FIGNORE: "x",
  HISTFILE: "/tmp/x",
  OLDPWD: join(place, "elsewhere"),
  PWD: join(place, "link"),
  TMOUT: "1",
  TEXTDOMAIN: "planted",
  TEXTDOMAINDIR: place,
  BASH_LOADABLES_PATH: place,
  BASH_XTRACEFD: "1",
};

const origin = { sessionId: "s", entrypoint: "test", stateDir: "/state" };

function run(command: string, given: Record<string, string>, envFile?: string): string {
  const childEnv = { PATH: `.::./bin:${process.env["PATH"]}`, HOME: place, ...given };
  const shell = { path: "/bin/bash", kind: "bash" } as const;
  const parts = { command, shell, snapshot: null, envFile, prefix: undefined, reportsDirectory: false };
  const ended = Bun.spawnSync([shell.path, "-c", scriptFor(parts)], {
    cwd: project,
    env: commandEnvironment({ ...origin, childEnv }),
  });
  return ended.stdout.toString() + ended.stderr.toString();
}

/** The normal output of each command. */
const PLAIN: readonly (readonly [command: string, shown: string])[] = [
  ["ls -d sub", "sub\n"],
  ["cd sub && pwd", `${project}/sub\n`],
  ["cd .. && pwd", `${place}\n`],
  ["pwd", `${project}\n`],
  ["cd - 2>/dev/null || echo none", "none\n"],
  ["echo *", "a b ls sub\n"],
  ["echo none-*", "none-*\n"],
  ['x="a usb"; printf "%s." $x', "a.usb."],
  ['bash -c "echo fine"', "fine\n"],
  ['sh -c "echo fine"', "fine\n"],
  ["(set -x; true) 2>&1", "++ true\n"],
  ['echo $"hello"', "hello\n"],
  ["set -o | grep -E '^(noglob|posix|xtrace)'", "noglob         \toff\nposix          \toff\nxtrace         \toff\n"],
  ["shopt dotglob extglob nullglob cdable_vars | grep -c off", "4\n"],
  ["place=sub; cd place 2>/dev/null || echo none", "none\n"],
];

test("this test and the table have the same variables", () => {
  expect(
    Object.keys(HOSTILE)
      .filter((name) => !name.startsWith("BASH_FUNC_"))
      .sort(),
  ).toEqual(Object.keys(CLEARED_VARIABLES).sort());
});

test.each(PLAIN)("%s means the same in any environment", (command, shown) => {
  expect(run(command, {})).toBe(shown);
  expect(run(command, HOSTILE)).toBe(shown);
});

test("the user's own script cannot change the meaning of `cd` and patterns", () => {
  const script = join(place, "env.sh");
  writeFileSync(script, `export CDPATH=${place}/elsewhere GLOBIGNORE=sub IFS=u OLDPWD=/ FROM_SCRIPT=kept\n`);
  expect(run("cd sub && pwd; cd ..; echo *; echo $FROM_SCRIPT", {}, script)).toBe(`${project}/sub\na b ls sub\nkept\n`);
});

test("options that change the meaning of commands keep bash's defaults", () => {
  const options = "dotglob nullglob failglob extglob nocaseglob cdable_vars lastpipe globstar expand_aliases".split(
    " ",
  );
  expect(options.filter((name) => isKeptOption(`shopt -s ${name}`))).toEqual(["globstar"]);
  expect(isKeptOption("shopt -s globstar; rm x")).toBe(false);
});

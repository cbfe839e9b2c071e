import { expect, test } from "bun:test";
import { isOwnName } from "../records/variable-names.ts";
import { allowedRules } from "./launch.ts";

test("rules of a routine reach no further than its checkout", () => {
  const cases: readonly [string, readonly string[]][] = [
    ["Bash", ["Bash"]],
    ["Bash(npm run *)", ["Bash(npm run *)"]],
    ["Edit", ["Edit(//w/app/**)"]],
    ["Read(*)", ["Read(//w/app/**)"]],
    ["Write(./src/**)", ["Write(//w/app/src/**)"]],
    ["Edit(src/a.ts)", ["Edit(//w/app/src/a.ts)"]],
    ["Edit(//etc/**)", []],
    ["Edit(/etc/passwd)", []],
    ["Read(~/.ssh/**)", []],
    ["Write(src/../../x)", []],
    ["Read(!a)", []],
    ["WebFetch", []],
    ["WebFetch(domain:example.com)", []],
    ["", []],
    ["--dangerously-skip-permissions", []],
  ];
  for (const [rule, allowed] of cases) expect([rule, allowedRules([rule], "/w/app")]).toEqual([rule, allowed]);
});

test("an environment sets variables for its commands, none that changes the program or what is loaded", () => {
  for (const name of ["DATABASE_URL", "npm_config_registry", "DEPLOY_TOKEN", "A1"])
    expect([name, isOwnName(name)]).toEqual([name, true]);
  const refused = [
    "PATH",
    "HOME",
    "LD_PRELOAD",
    "NODE_OPTIONS",
    "BUN_OPTIONS",
    "ANTHROPIC_BASE_URL",
    "CLAUDE_CONFIG_DIR",
    "GIT_SSH_COMMAND",
  ];
  for (const name of [...refused, "BASH_ENV", "IS_SANDBOX", "HTTPS_PROXY", "a-b", "", "1A"])
    expect([name, isOwnName(name)]).toEqual([name, false]);
});

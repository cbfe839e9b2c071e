// Shells and interpreters. A rule such as `Bash(python:*)` or `Bash(bash:*)` covers whatever they run. A rule that names
// more, such as `Bash(bash -n:*)`, covers what it names: no other code given as an option. What follows a script's name
// is for the script.

import type { Options } from "./read-options.ts";

const shell: Options = {
  runsCode: true,
  plus: true,
  short: "cisO",
  ends: "c",
  long: "rcfile init-file login",
  valued: "o",
  operands: 1,
};

/** `-m module` ends the options as a script does. */
const python: Options = { runsCode: true, short: "cmi", ends: "cm", valued: "WX", operands: 1 };

const node: Options = {
  runsCode: true,
  short: "epri",
  long: "eval print require import loader experimental-loader env-file openssl-config run icu-data-dir snapshot-blob build-snapshot",
  valued: "C",
  takes: "conditions test-name-pattern test-reporter max-old-space-size",
  operands: 1,
};

export const INTERPRETERS: Readonly<Record<string, Options>> = {
  bash: shell,
  bun: { commands: { test: { short: "r", long: "preload require import", files: "c config cwd" } } },
  deno: { runsCode: true, files: "c config import-map preload" },
  java: {
    runsCode: true,
    single: true,
    long: "javaagent agentlib agentpath cp classpath jar m module XX:OnError XX:OnOutOfMemoryError XX:Flags",
    operands: 1,
  },
  lua: { runsCode: true, short: "eli", operands: 1 },
  node,
  perl: { runsCode: true, short: "eEIMmidx", operands: 1 },
  php: {
    runsCode: true,
    short: "rBREFdczaS",
    long: "run define php-ini process-begin process-code process-end process-file",
    operands: 1,
  },
  python,
  ruby: { runsCode: true, short: "erIiCSx", operands: 1 },
};

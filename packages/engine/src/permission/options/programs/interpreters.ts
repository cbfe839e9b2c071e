// Shells and interpreters. A rule such as `Bash(python:*)` or `Bash(bash:*)` covers everything they run. A rule with
// more words, such as `Bash(bash -n:*)`, covers only those: no other code given as an option. What follows a script's
// name belongs to the script.

import type { ProgramOptionTable } from "../program-options.ts";

const shell: ProgramOptionTable = {
  plus: true,
  short: "cisO",
  ends: "c",
  long: "rcfile init-file login",
  valued: "o",
  operands: 1,
};

/** `-m module` ends the options, as a script does. */
const python: ProgramOptionTable = { short: "cmi", ends: "cm", valued: "WX", operands: 1 };

const node: ProgramOptionTable = {
  short: "epri",
  long: "eval print require import loader experimental-loader env-file openssl-config run icu-data-dir snapshot-blob build-snapshot",
  valued: "C",
  operands: 1,
};

/** For rules with more words than the program. */
const NARROWED: Readonly<Record<string, ProgramOptionTable>> = {
  bash: shell,
  deno: { files: "c config import-map preload" },
  java: {
    single: true,
    long: "javaagent agentlib agentpath cp classpath jar m module XX:OnError XX:OnOutOfMemoryError XX:Flags",
    operands: 1,
  },
  lua: { short: "eli", operands: 1 },
  node,
  perl: { short: "eEIMmidx", operands: 1 },
  php: {
    short: "rBREFdczaS",
    long: "run define php-ini process-begin process-code process-end process-file",
    operands: 1,
  },
  python,
  ruby: { short: "erIiCSx", operands: 1 },
};

export const INTERPRETERS: Readonly<Record<string, ProgramOptionTable>> = {
  ...Object.fromEntries(
    Object.entries(NARROWED).map(([name, narrowed]): [string, ProgramOptionTable] => [name, { narrowed }]),
  ),
  bun: { commands: { test: { short: "r", long: "preload require import", files: "c config cwd" } } },
};

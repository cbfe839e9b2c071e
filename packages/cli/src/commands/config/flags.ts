// The flags of `keelson config` and `keelson doctor`: their own, and those of the program that choose settings.

import { FLAGS, type Flag } from "../../args/flags.ts";

const JSON_FLAG: Flag = { name: "json", value: { kind: "none" }, group: "Output", help: "Print JSON" };

const CHOOSING = "help settings setting-sources managed-settings project-config-root require-trust safe-mode".split(
  " ",
);
const SHARED = FLAGS.filter(({ name }) => CHOOSING.includes(name));

export const CONFIG_FLAGS: readonly Flag[] = [
  {
    name: "scope",
    value: { kind: "choice", label: "scope", choices: ["user", "project", "local"] },
    group: "Settings",
    help: "set: the file to write; user when absent",
  },
  JSON_FLAG,
  ...SHARED,
];

export const DOCTOR_FLAGS: readonly Flag[] = [JSON_FLAG, ...SHARED];

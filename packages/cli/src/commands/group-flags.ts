// Flags that several groups of commands have, and those of the program that they take as well.

import { FLAGS, type Flag, type Value } from "../args/flags.ts";

const MODES = ["default", "manual", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"];
const mode: Value = { kind: "choice", label: "mode", choices: MODES };

export const modeFlag = (help: string): Flag => ({ name: "mode", value: mode, group: "Permissions", help });

export const cwdFlag = (help = "As if started in this directory"): Flag => ({
  name: "cwd",
  value: { kind: "text", label: "directory" },
  group: "Settings",
  help,
});

export const jsonFlag = (help = "Print JSON"): Flag => ({
  name: "json",
  value: { kind: "none" },
  group: "Output",
  help,
});

/** A group's own flags, and these of the program. */
export function withShared(own: readonly Flag[], ...names: readonly string[]): readonly Flag[] {
  return [...own, ...FLAGS.filter(({ name }) => names.includes(name))];
}

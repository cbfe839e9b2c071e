// Flags shared by several commands, and how a command takes over flags of the program.

import { FLAGS, type Flag, type Value } from "../args/flags.ts";
import { WIDTH, wrapLines } from "../args/help.ts";

const MODES = ["default", "manual", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"];
const mode: Value = { kind: "choice", label: "mode", choices: MODES };

export const modeFlag = (help: string): Flag => ({ name: "mode", value: mode, group: "Permissions", help });

export const cwdFlag = (help = "Run as if started in this folder"): Flag => ({
  name: "cwd",
  value: { kind: "text", label: "folder" },
  group: "Settings",
  help,
});

export const jsonFlag = (help = "Print JSON"): Flag => ({
  name: "json",
  value: { kind: "none" },
  group: "Output",
  help,
});

/** For `validate` and `new`, of agents and of skills. */
export const AUTHOR_FLAGS: readonly Flag[] = [
  { name: "strict", value: { kind: "none" }, group: "Other", help: "validate: warnings are errors" },
  { name: "user", value: { kind: "none" }, group: "Other", help: "new: for you, in all folders" },
  { name: "project", value: { kind: "none" }, group: "Other", help: "new: for everyone in this folder (default)" },
];

/** The command's own flags, and the named flags of the program. */
export function withShared(own: readonly Flag[], ...names: readonly string[]): readonly Flag[] {
  return [...own, ...FLAGS.filter(({ name }) => names.includes(name))];
}

/** For help: the flags that the command took over. */
export function sharedFlags(flags: readonly Flag[], own: readonly Flag[]): string {
  const shared = flags.filter((flag) => !own.includes(flag)).map(({ name }) => `--${name}`);
  return wrapLines(`Also (see keelson --help): ${shared.join(", ")}`, WIDTH).join("\n");
}

// The flags of `keelson hooks`: its own, and those of the program that choose settings.

import { FLAGS, type Flag } from "../flags.ts";

const none = { kind: "none" } as const;

/** Flags that only `keelson hooks` has. */
export const OWN_FLAGS: readonly Flag[] = [
  {
    name: "tool",
    value: { kind: "text", label: "name" },
    group: "Other",
    help: "test: the tool the event is about (Bash when not given)",
  },
  {
    name: "input",
    value: { kind: "text", label: "json|@file" },
    group: "Other",
    help: "test: the tool's input, or for other events their own fields",
  },
  {
    name: "mode",
    value: {
      kind: "choice",
      label: "mode",
      choices: ["default", "manual", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"],
    },
    group: "Permissions",
    help: "test: the permission mode hooks are told",
  },
  {
    name: "cwd",
    value: { kind: "text", label: "directory" },
    group: "Settings",
    help: "As if started in this directory",
  },
  { name: "json", value: none, group: "Output", help: "Print JSON" },
];

const SHARED = new Set(["help", "settings", "setting-sources", "require-trust", "bare"]);

export const HOOKS_FLAGS: readonly Flag[] = [...OWN_FLAGS, ...FLAGS.filter(({ name }) => SHARED.has(name))];

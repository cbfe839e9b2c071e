// The flags of `keelson permissions`: its own, and those of the program that choose settings.

import { FLAGS, type Flag } from "../flags.ts";

const none = { kind: "none" } as const;

/** Flags that only `keelson permissions` has. */
export const OWN_FLAGS: readonly Flag[] = [
  {
    name: "mode",
    value: {
      kind: "choice",
      label: "mode",
      choices: ["default", "manual", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"],
    },
    group: "Permissions",
    help: "Judge as if the session were in this mode",
  },
  {
    name: "command",
    value: { kind: "text", label: "text" },
    group: "Permissions",
    help: "explain: a shell command, as it stands",
  },
  {
    name: "cwd",
    value: { kind: "text", label: "directory" },
    group: "Settings",
    help: "Judge as if started in this directory",
  },
  { name: "json", value: none, group: "Output", help: "Print JSON" },
  {
    name: "exit-code",
    value: none,
    group: "Output",
    help: "explain: exit with 0 for allow, 1 for ask, 2 for deny",
  },
];

const SHARED = new Set([
  "help",
  "allowedTools",
  "disallowedTools",
  "permission-mode",
  "dangerously-skip-permissions",
  "add-dir",
  "settings",
  "setting-sources",
  "require-trust",
]);

export const PERMISSIONS_FLAGS: readonly Flag[] = [...OWN_FLAGS, ...FLAGS.filter(({ name }) => SHARED.has(name))];

// The flags of keelson routines.

import type { Flag, Value } from "../../args/flags.ts";
import { jsonFlag, withShared } from "../group-flags.ts";

const text = (label: string): Value => ({ kind: "text", label });
const flag = (name: string, value: Value, help: string): Flag => ({ name, value, group: "Other", help });

export const ROUTINES_OWN_FLAGS: readonly Flag[] = [
  flag("prompt", text("text"), "create: what to do (default: read from standard input)"),
  flag("called", text("name"), "create: the name of the routine (required)"),
  flag("cron", text("line"), 'create: when it is due, such as "0 9 * * 1-5"'),
  flag("zone", text("zone"), "create: the time zone of --cron (default: that of this machine)"),
  flag("once", text("time"), "create: run once at this time, such as 2026-03-02T09:00:00Z"),
  flag("source", { kind: "list", label: "url" }, "create: a repository to work in"),
  flag("text", text("text"), "run: data for this run"),
  jsonFlag(),
];

export const ROUTINES_FLAGS = withShared(
  ROUTINES_OWN_FLAGS,
  "help",
  "settings",
  "model",
  "permission-mode",
  "allowedTools",
);

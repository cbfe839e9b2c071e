// The flags of `keelson export`.

import type { Flag } from "../../args/flags.ts";
import { cwdFlag, withShared } from "../group-flags.ts";

/** Flags that several commands which write a file have. */
export const OUTPUT_FLAGS: readonly Flag[] = [
  {
    name: "output",
    short: "o",
    value: { kind: "text", label: "file" },
    group: "Output",
    help: "Write to a new file instead of standard output",
  },
  { name: "force", value: { kind: "none" }, group: "Output", help: "Replace the file if it exists" },
];

/** Flags that only `keelson export` has. */
export const EXPORT_OWN_FLAGS: readonly Flag[] = [
  {
    name: "format",
    value: { kind: "choice", label: "format", choices: ["markdown", "html", "json"] },
    group: "Output",
    help: "markdown, html or json; without it, the file extension decides",
  },
  ...OUTPUT_FLAGS,
  { name: "full", value: { kind: "none" }, group: "Output", help: "Do not cut long inputs and results" },
  cwdFlag("Look for sessions of this folder"),
];

export const EXPORT_FLAGS = withShared(EXPORT_OWN_FLAGS, "help");

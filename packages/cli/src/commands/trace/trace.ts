// keelson trace: a session on a timeline, for Perfetto and other viewers of trace events.

import type { Flag } from "../../args/flags.ts";
import type { ProcessIO } from "../../process/process-io.ts";
import { resolve } from "node:path";
import { optionLines, runReader } from "../export/export.ts";
import { OUTPUT_FLAGS } from "../export/flags.ts";
import { cwdFlag, withShared } from "../group-flags.ts";

export const TRACE_OWN_FLAGS: readonly Flag[] = [
  ...OUTPUT_FLAGS,
  {
    name: "log",
    value: { kind: "text", label: "file" },
    group: "Other",
    help: "Read exact times from the file that KEELSON_TRACE named",
  },
  cwdFlag("Look for sessions of this folder"),
];

export const TRACE_FLAGS = withShared(TRACE_OWN_FLAGS, "help");

const USAGE = `Usage: keelson trace [session] [options]

Write a session as a timeline: runs, turns, model requests, tools, hooks, compactions, and the same
for each subagent. Open the file in https://ui.perfetto.dev or chrome://tracing. Name the session by
ID, start of the ID, or title; default: the most recent session in this folder.

Times come from the transcript. For exact times, run the session with KEELSON_TRACE=1.

Options:
${optionLines(TRACE_OWN_FLAGS)}

Examples:
  keelson trace -o session.json
  KEELSON_TRACE=1 keelson -p "Make the tests pass" && keelson trace -o exact.json
`;

export async function runTrace(argv: readonly string[], io: ProcessIO): Promise<number> {
  return runReader({ name: "trace", usage: USAGE, flags: TRACE_FLAGS }, argv, io, async ({ given, wanted, place }) => {
    const { findTimeline } = await import("@keelson/runtime/trace");
    const log = given.text("log");
    return findTimeline(place, wanted, { log: log === undefined ? undefined : resolve(io.cwd, log) });
  });
}

// keelson hooks: lists hooks, tests them on an event, and shows what they did in a session.

import type { ProcessIO } from "../../process/process-io.ts";
import { runGroup, snapshotFor, type Invoked } from "../group.ts";
import { HOOKS_FLAGS, HOOKS_OWN_FLAGS } from "./flags.ts";

const USAGE = `Usage: keelson hooks <command> [options]

List, test and trace hooks. Tested hooks really run: in a copy of this folder, but nothing stops
what they do outside it.

Commands:
  list [event]     List all hooks, where they are defined, and why some do not run
  test <event>     Run the hooks of an event in a copy of this folder, and show each reply, the
                   combined result, and what the model would see
  trace [session]  Show every hook that ran in a session: its input, output and duration. Name the
                   session by ID, start of the ID, or name; default: the most recent session

Examples:
  keelson hooks list
  keelson hooks test PreToolUse --input '{"command": "git push --force"}'
  keelson hooks test PostToolUse --tool Edit --input '{"file_path": "src/a.ts"}'
  keelson hooks test UserPromptSubmit --input '{"prompt": "Hello"}'
  keelson hooks trace --json | jq .firings
`;

/** Runs one of the hook commands and returns the exit code. */
export function runHooks(argv: readonly string[], io: ProcessIO): Promise<number> {
  const commands = {
    list: async (call: Invoked) => (await import("./list.ts")).listHooks(await open(call)),
    test: async (call: Invoked) => (await import("./run-event.ts")).testHooks(await open(call)),
    trace: async (call: Invoked) => (await import("./trace.ts")).traceHooks(await open(call)),
  };
  return runGroup({ name: "hooks", usage: USAGE, flags: HOOKS_FLAGS, own: HOOKS_OWN_FLAGS, commands }, argv, io);
}

export type OpenedHooks = Awaited<ReturnType<typeof open>>;

const open = async (call: Invoked) => ({ ...call, snapshot: await snapshotFor(call) });

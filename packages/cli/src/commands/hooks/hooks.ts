// keelson hooks: what is registered, what it does with an event, what it did in a session. For those who write hooks.

import type { ProcessIO } from "../../process-io.ts";
import { runGroup, snapshotFor, type Invoked } from "../group.ts";
import { HOOKS_FLAGS, OWN_FLAGS } from "./flags.ts";

const USAGE = `Usage: keelson hooks <command> [options]

Shows which hooks there are and what they do. Hooks that are tested really run: in a copy of the folder, but what they
do elsewhere is done.

Commands:
  list             All hooks, where they stand, and why some of them do not run
  test <event>     Runs the hooks of an event in a copy of this folder, and shows each answer, what comes of them
                   together and what the model would see
  trace [session]  Every hook that ran in a session: what it was told, what it said, how long it took. The session by
                   its ID, the beginning of it, or its name; the last one when not given

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
  return runGroup({ name: "hooks", usage: USAGE, flags: HOOKS_FLAGS, own: OWN_FLAGS, commands }, argv, io);
}

/** What every hook command works with. */
export type Opened = Awaited<ReturnType<typeof open>>;

const open = async (call: Invoked) => ({ ...call, snapshot: await snapshotFor(call) });

// keelson instructions: which files tell the agent what, and whether they may come from elsewhere. It starts no session.

import { UsageError } from "../../args/invocation.ts";
import type { ProcessIO } from "../../process-io.ts";
import { printError, runGroup, snapshotFor, type Invoked } from "../group.ts";
import { INSTRUCTIONS_FLAGS, OWN_FLAGS } from "./flags.ts";
import { shortenFrom } from "../permissions/words.ts";

const USAGE = `Usage: keelson instructions <command> [options]

Shows what the agent is told by files such as CLAUDE.md. No model is asked.

Commands:
  list      The files a session here starts with, in order, with size and reason; what waits, and what was left out
  approve   Lets the instruction files of this folder bring in files from outside it, now and later

Examples:
  keelson instructions list
  keelson instructions list --for src/api/server.ts
  keelson instructions list --json | jq '.files[].path'
  keelson instructions approve --revoke
`;

/** Runs one of the commands and returns the exit code. */
export function runInstructions(argv: readonly string[], io: ProcessIO): Promise<number> {
  const commands = {
    list: async (call: Invoked) => (await import("./list.ts")).listFiles(await open(call, "list")),
    approve: async (call: Invoked) => approve(await open(call, "approve")),
  };
  return runGroup(
    { name: "instructions", usage: USAGE, flags: INSTRUCTIONS_FLAGS, own: OWN_FLAGS, commands },
    argv,
    io,
  );
}

/** What both commands work with. */
export type Opened = Awaited<ReturnType<typeof open>>;

async function open(call: Invoked, name: string) {
  if (call.words.length > 0) throw new UsageError(`error: 'instructions ${name}' takes no further words`);
  const { listInstructions } = await import("@keelson/runtime");
  const snapshot = await snapshotFor(call);
  const { cwd, home } = snapshot;
  return { ...call, snapshot, short: shortenFrom(cwd, home), listed: await listInstructions(snapshot) };
}

async function approve({ given, io, snapshot, short, listed }: Opened): Promise<number> {
  const { writeApproval } = await import("@keelson/config/instructions");
  const approved = !given.has("revoke");
  const result = await writeApproval(snapshot, approved);
  if (!result.ok) return printError(io, `Error: ${result.problem}`);
  const lines = approved
    ? [
        `Instruction files of ${short(snapshot.cwd)} may bring in files from outside it${result.changed ? "" : ", as before"}`,
        ...listed.set.leftOut.filter(({ external }) => external).map(({ path }) => `  ${short(path)}`),
      ]
    : [
        `Instruction files of ${short(snapshot.cwd)} bring in nothing from outside it${result.changed ? "" : ", as before"}`,
      ];
  await io.write(`${[...lines, ...(result.changed ? [`Written to ${short(result.file)}`] : [])].join("\n")}\n`);
  return 0;
}

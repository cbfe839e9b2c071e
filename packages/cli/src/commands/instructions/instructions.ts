// keelson instructions: shows which instruction files the model reads, and approves files from outside the folder.

import { UsageError } from "../../args/invocation.ts";
import { printError, type ProcessIO } from "../../process/process-io.ts";
import { runGroup, snapshotFor, type Invoked } from "../group.ts";
import { shortenFrom } from "../permissions/words.ts";
import { INSTRUCTIONS_FLAGS, INSTRUCTIONS_OWN_FLAGS } from "./flags.ts";

const USAGE = `Usage: keelson instructions <command> [options]

Show which instruction files, such as CLAUDE.md, the model reads in this folder.

Commands:
  list      List the files in the order they are read, and the files that are not read
  approve   Let instruction files here include files from outside this folder

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
    { name: "instructions", usage: USAGE, flags: INSTRUCTIONS_FLAGS, own: INSTRUCTIONS_OWN_FLAGS, commands },
    argv,
    io,
  );
}

export type OpenedInstructions = Awaited<ReturnType<typeof open>>;

async function open(call: Invoked, name: string) {
  if (call.words.length > 0) throw new UsageError(`usage: keelson instructions ${name}`);
  const { listInstructions } = await import("@keelson/runtime");
  const snapshot = await snapshotFor(call);
  const { cwd, home } = snapshot;
  return { ...call, snapshot, short: shortenFrom(cwd, home), listed: await listInstructions(snapshot) };
}

async function approve({ given, io, snapshot, short, listed }: OpenedInstructions): Promise<number> {
  const { writeApproval } = await import("@keelson/config/instructions");
  const approved = !given.has("revoke");
  const result = await writeApproval(snapshot, approved);
  if (!result.ok) return printError(io, result.problem);
  const lines = approved
    ? [
        `Instruction files in ${short(snapshot.cwd)} ${result.changed ? "can now" : "can already"} include files from outside it`,
        ...listed.set.leftOut.filter(({ external }) => external).map(({ path }) => `  ${short(path)}`),
      ]
    : [
        `Instruction files in ${short(snapshot.cwd)} ${result.changed ? "can no longer" : "cannot"} include files from outside it`,
      ];
  await io.write(`${[...lines, ...(result.changed ? [`Saved in ${short(result.file)}`] : [])].join("\n")}\n`);
  return 0;
}

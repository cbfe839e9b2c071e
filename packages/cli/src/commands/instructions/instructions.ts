// keelson instructions: shows which instruction files the model reads, and approves files from outside the folder.

import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { UsageError } from "../../args/invocation.ts";
import { printError, type ProcessIO } from "../../process/process-io.ts";
import { runGroup, snapshotFor, type Invoked } from "../group.ts";
import { shortenFrom } from "../permissions/words.ts";
import { INSTRUCTIONS_FLAGS, INSTRUCTIONS_OWN_FLAGS } from "./flags.ts";

const USAGE = `Usage: keelson instructions <command> [options]

Show which instruction files, such as CLAUDE.md, the model reads in this folder.

Commands:
  list      List the files in the order they are read, and the files that are not read
  approve   Let instruction files here include files from outside this folder: those that they
            include now, or those you name

Examples:
  keelson instructions list
  keelson instructions list --for src/api/server.ts
  keelson instructions list --json | jq '.files[].path'
  keelson instructions approve ~/notes.md
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
  if (call.words.length > 0 && name !== "approve") throw new UsageError(`usage: keelson instructions ${name}`);
  const { listInstructions } = await import("@keelson/runtime");
  const snapshot = await snapshotFor(call);
  const { cwd, home } = snapshot;
  return { ...call, snapshot, short: shortenFrom(cwd, home), listed: await listInstructions(snapshot) };
}

async function approve({ given, words, io, snapshot, short }: OpenedInstructions): Promise<number> {
  const { includeAnswers, writeApproval } = await import("@keelson/config/instructions");
  const { outsideIncludes } = await import("@keelson/runtime");
  const named = words.map((word) => resolve(snapshot.origin.cwd, word));
  const missing = named.find((path) => !existsSync(path));
  if (missing !== undefined) throw new UsageError(`"${missing}" does not exist`);
  const paths = named.map((path) => realpathSync(path));
  const approves = !given.has("revoke");
  const files = paths.length > 0 ? paths : approves ? await outsideIncludes(snapshot) : undefined;
  const result = await writeApproval(snapshot, approves ? { approve: files! } : { refuse: files ?? "all" });
  if (!result.ok) return printError(io, result.problem);
  const may = approves ? (result.changed ? "can now" : "can already") : result.changed ? "can no longer" : "cannot";
  const shown = files ?? (result.changed ? includeAnswers(snapshot).refused : []);
  const where = short(snapshot.cwd);
  const lines =
    approves && shown.length === 0
      ? [`Instruction files in ${where} include no files from outside it`]
      : [
          `Instruction files in ${where} ${may} include ${shown.length === 0 ? "files" : "these files"} from outside it`,
          ...shown.map((path) => `  ${short(path)}`),
        ];
  await io.write(`${[...lines, ...(result.changed ? [`Saved in ${short(result.file)}`] : [])].join("\n")}\n`);
  return 0;
}

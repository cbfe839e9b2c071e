// keelson instructions: which files tell the agent what, and whether they may come from elsewhere. It starts no session.

import { resolve } from "node:path";
import { parseArguments, spelling, type Arguments } from "../args.ts";
import { toFlags, UsageError } from "../invocation.ts";
import { loadOptions, type World } from "../world.ts";
import { INSTRUCTIONS_FLAGS, OWN_FLAGS } from "./instructions-flags.ts";
import { shortenFrom } from "./permissions-words.ts";

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
export async function run(argv: readonly string[], world: World): Promise<number> {
  const parsed = parseArguments(argv, INSTRUCTIONS_FLAGS);
  if (!parsed.ok) return fail(world, parsed.error);
  const given = parsed.arguments;
  const [name, ...words] = given.words;
  if (name === undefined || given.has("help")) {
    await world.write(help());
    return 0;
  }
  const { ConfigError } = await import("@keelson/config");
  try {
    if (words.length > 0) throw new UsageError(`error: 'instructions ${name}' takes no further words`);
    return await dispatch(name, given, world);
  } catch (error) {
    if (error instanceof UsageError) return fail(world, error.message);
    if (error instanceof ConfigError) return fail(world, `Error: ${error.message}`);
    throw error;
  }
}

async function dispatch(name: string, given: Arguments, world: World): Promise<number> {
  switch (name) {
    case "list":
      return (await import("./instructions-list.ts")).listFiles(await open(given, world));
    case "approve":
      return approve(await open(given, world));
    default:
      throw new UsageError(`error: unknown command 'instructions ${name}'. Commands are list and approve`);
  }
}

/** What both commands work with. */
export type Opened = Awaited<ReturnType<typeof open>>;

async function open(given: Arguments, world: World) {
  const { load } = await import("@keelson/config");
  const { listInstructions } = await import("@keelson/runtime");
  const cwd = resolve(world.cwd, given.text("cwd") ?? ".");
  const snapshot = load(loadOptions({ ...world, cwd }, toFlags(given, cwd)));
  return {
    given,
    world,
    snapshot,
    short: shortenFrom(snapshot.cwd, snapshot.home),
    listed: await listInstructions(snapshot),
  };
}

async function approve({ given, world, snapshot, short, listed }: Opened): Promise<number> {
  const { writeApproval } = await import("@keelson/config/instructions");
  const approved = !given.has("revoke");
  const result = await writeApproval(snapshot, approved);
  if (!result.ok) return fail(world, `Error: ${result.problem}`);
  const lines = approved
    ? [
        `Instruction files of ${short(snapshot.cwd)} may bring in files from outside it${result.changed ? "" : ", as before"}`,
        ...listed.set.leftOut.filter(({ external }) => external).map(({ path }) => `  ${short(path)}`),
      ]
    : [
        `Instruction files of ${short(snapshot.cwd)} bring in nothing from outside it${result.changed ? "" : ", as before"}`,
      ];
  await world.write(`${[...lines, ...(result.changed ? [`Written to ${short(result.file)}`] : [])].join("\n")}\n`);
  return 0;
}

function help(): string {
  const width = Math.max(...OWN_FLAGS.map((flag) => spelling(flag).length));
  const own = OWN_FLAGS.map((flag) => `  ${spelling(flag).padEnd(width)}  ${flag.help}`);
  const shared = INSTRUCTIONS_FLAGS.filter((flag) => !OWN_FLAGS.includes(flag)).map(({ name }) => `--${name}`);
  return `${USAGE}\nOptions:\n${own.join("\n")}\n\nAs in the program itself: ${shared.join(", ")}\n`;
}

function fail(world: World, message: string): number {
  world.error(message);
  return 1;
}

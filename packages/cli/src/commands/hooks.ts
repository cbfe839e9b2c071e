// keelson hooks: what is registered, what it does with an event, what it did in a session. For those who write hooks.

import { resolve } from "node:path";
import { parseArguments, spelling, type Arguments } from "../args.ts";
import { toFlags, UsageError } from "../invocation.ts";
import { loadOptions, type World } from "../world.ts";
import { HOOKS_FLAGS, OWN_FLAGS } from "./hooks-flags.ts";

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
export async function run(argv: readonly string[], world: World): Promise<number> {
  const parsed = parseArguments(argv, HOOKS_FLAGS);
  if (!parsed.ok) return fail(world, parsed.error);
  const given = parsed.arguments;
  const [name] = given.words;
  if (name === undefined || given.has("help")) {
    await world.write(help());
    return 0;
  }
  const { ConfigError } = await import("@keelson/config");
  try {
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
      return (await import("./hooks-list.ts")).listHooks(await open(given, world));
    case "test":
      return (await import("./hooks-test.ts")).testHooks(await open(given, world));
    case "trace":
      return (await import("./hooks-trace.ts")).traceHooks(await open(given, world));
    default:
      throw new UsageError(`error: unknown command 'hooks ${name}'. Commands are list, test and trace`);
  }
}

/** What every hook command works with. */
export type Opened = Awaited<ReturnType<typeof open>>;

async function open(given: Arguments, world: World) {
  const { load } = await import("@keelson/config");
  const cwd = resolve(world.cwd, given.text("cwd") ?? ".");
  return {
    given,
    /** What follows the command's name. */
    words: given.words.slice(1),
    world,
    snapshot: load(loadOptions({ ...world, cwd }, toFlags(given, cwd))),
  };
}

function help(): string {
  const width = Math.max(...OWN_FLAGS.map((flag) => spelling(flag).length));
  const own = OWN_FLAGS.map((flag) => `  ${spelling(flag).padEnd(width)}  ${flag.help}`);
  const shared = HOOKS_FLAGS.filter((flag) => !OWN_FLAGS.includes(flag)).map(({ name }) => `--${name}`);
  return `${USAGE}\nOptions:\n${own.join("\n")}\n\nAs in the program itself: ${shared.join(", ")}\n`;
}

function fail(world: World, message: string): number {
  world.error(message);
  return 1;
}

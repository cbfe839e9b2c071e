// keelson permissions: what the gate would say, and why. It loads settings as a session would and runs nothing.

import { resolve } from "node:path";
import type { PermissionMode } from "@keelson/protocol";
import { parseArguments, spelling, type Arguments } from "../args.ts";
import { toFlags, UsageError } from "../invocation.ts";
import { loadOptions, type World } from "../world.ts";
import { OWN_FLAGS, PERMISSIONS_FLAGS } from "./permissions-flags.ts";

const USAGE = `Usage: keelson permissions <command> [options]

Shows what is allowed here, and why. Nothing is run.

Commands:
  explain <call>   What happens to a call, and which rule or check decides
  test <file>      Compares a table of calls with the verdicts you expect; exit code 1 when one differs
  list             All rules in force, where they stand, and what is odd about them

Examples:
  keelson permissions explain 'Bash(git push && npm test)'
  keelson permissions explain Read '{"file_path": ".env"}' --mode plan
  keelson permissions explain --command 'curl -s example.com | sh' --exit-code
  keelson permissions test .claude/permissions.test
`;

/** Runs one of the permission commands and returns the exit code. */
export async function run(argv: readonly string[], world: World): Promise<number> {
  const parsed = parseArguments(argv, PERMISSIONS_FLAGS);
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
    case "explain":
      return (await import("./permissions-explain.ts")).explainCall(await open(given, world));
    case "test":
      return (await import("./permissions-test.ts")).testCalls(await open(given, world));
    case "list":
      return (await import("./permissions-list.ts")).listRules(await open(given, world));
    default:
      throw new UsageError(`error: unknown command 'permissions ${name}'. Commands are explain, test and list`);
  }
}

/** What every permission command works with. */
export type Opened = Awaited<ReturnType<typeof open>>;

async function open(given: Arguments, world: World) {
  const { load, locateRules } = await import("@keelson/config");
  const { openExplainer } = await import("@keelson/runtime/explain");
  const cwd = resolve(world.cwd, given.text("cwd") ?? ".");
  const loaded = load(loadOptions({ ...world, cwd }, toFlags(given, cwd)));
  const snapshot = { ...loaded, rules: await locateRules(loaded) };
  const mode = given.text("mode");
  return {
    given,
    /** What follows the command's name. */
    words: given.words.slice(1),
    world,
    snapshot,
    explainer: openExplainer(snapshot),
    ...(mode === undefined ? {} : { mode: (mode === "manual" ? "default" : mode) as PermissionMode }),
  };
}

function help(): string {
  const width = Math.max(...OWN_FLAGS.map((flag) => spelling(flag).length));
  const own = OWN_FLAGS.map((flag) => `  ${spelling(flag).padEnd(width)}  ${flag.help}`);
  const shared = PERMISSIONS_FLAGS.filter((flag) => !OWN_FLAGS.includes(flag)).map(({ name }) => `--${name}`);
  return `${USAGE}\nOptions:\n${own.join("\n")}\n\nAs in the program itself: ${shared.join(", ")}\n`;
}

function fail(world: World, message: string): number {
  world.error(message);
  return 1;
}

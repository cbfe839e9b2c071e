// What a typed command stands for: a skill or a prompt of a server, a built-in command, or one that does not exist.

import { existsSync } from "node:fs";
import type { Expansion, LocalCommand } from "@keelson/engine";
import type { CommandSession } from "./command.ts";
import { elsewhere } from "./elsewhere.ts";
import { findBuiltInCommand } from "./registry.ts";
import { readTyped, unknownCommandText, type TypedCommand } from "./typed.ts";

export interface ExpandOptions {
  readonly session: Omit<CommandSession, "prompt">;
  /** Skills and prompts of MCP servers. They come first: a file of the user may replace a built-in command. */
  others(typed: TypedCommand | undefined): Promise<Expansion | undefined>;
  /** A command that does not exist is an error, not text for the model. */
  readonly rejectsUnknown: boolean;
}

/** Undefined if the text is not a command. */
export async function expandTyped(text: string, options: ExpandOptions): Promise<Expansion | undefined> {
  const { session, others, rejectsUnknown } = options;
  const names = session.commands().flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  const typed = readTyped(text, names);
  const command = typed && findBuiltInCommand(typed.name);
  const other = await others(typed);
  // A skill for the model alone does not replace a command.
  if (!typed || (other && !(command && other.kind === "local"))) return other;
  const { name, args } = typed;
  if (command) return local(command.name, args, async (prompt) => (await command.load())(args, { ...session, prompt }));
  const advice = elsewhere(name);
  if (advice !== undefined) return local(name, args, async () => advice);
  // `/tmp is full` is about a folder.
  if (!rejectsUnknown || existsSync(`/${name}`)) return undefined;
  return local(name, args, async () => unknownCommandText(name, names));
}

const local = (name: string, args: string, run: LocalCommand["run"]): LocalCommand => ({
  kind: "local",
  name,
  args,
  run,
});

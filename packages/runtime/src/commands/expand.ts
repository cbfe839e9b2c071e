// What a typed command stands for: a skill or a prompt of a server, a built-in command, or one that does not exist.

import { existsSync } from "node:fs";
import type { Expansion, LocalCommand, PromptExpansion } from "@keelson/engine";
import type { CommandSession } from "./command.ts";
import { elsewhere } from "./elsewhere.ts";
import { findBuiltInCommand } from "./registry.ts";
import { readTyped, unknownCommandText, type TypedCommand } from "./typed.ts";

export interface ExpandOptions {
  readonly session: Omit<CommandSession, "prompt">;
  /** A skill or command file. They come first: a file of the user may replace a built-in command. */
  skill(name: string, args: string): Expansion | undefined;
  /** A prompt of an MCP server. */
  serverPrompt(): Promise<Expansion | undefined>;
  /** A command that does not exist is an error, not text for the model. */
  readonly rejectsUnknown: boolean;
}

/** Undefined if the text is not a command. */
export async function expandTyped(text: string, options: ExpandOptions): Promise<Expansion | undefined> {
  const { session, serverPrompt, rejectsUnknown } = options;
  const names = session.commands().flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  const typed = readTyped(text, names);
  const command = typed && findBuiltInCommand(typed.name);
  const other = (typed && typedSkills(typed, names, options)) ?? (await serverPrompt());
  // A skill for the model alone does not replace a command.
  if (!typed || (other && !(command && other.kind === "local"))) return other;
  const { name, args } = typed;
  const prompt = command && (await PROMPTS[command.name]?.(args, session));
  if (prompt) return prompt;
  if (command) return local(command.name, args, async (prompt) => (await command.load())(args, { ...session, prompt }));
  const advice = elsewhere(name);
  if (advice !== undefined) return local(name, args, async () => advice);
  // `/tmp is full` is about a folder.
  if (!rejectsUnknown || existsSync(`/${name}`)) return undefined;
  return local(name, args, async () => unknownCommandText(name, names));
}

/** Built-in commands that stand for a prompt. Undefined if Keelson answers these arguments itself. */
const PROMPTS: Readonly<
  Record<string, (args: string, session: ExpandOptions["session"]) => Promise<PromptExpansion | undefined>>
> = {
  goal: async (args, session) => (await import("./change/goal.ts")).goalPrompt(args, session),
};

const local = (name: string, args: string, run: LocalCommand["run"]): LocalCommand => ({
  kind: "local",
  name,
  args,
  run,
});

/** As the reference: the first and five more. */
const MOST_STACKED = 5;

/** `/loop /check`: what follows is the task to repeat, not a second command. */
const takesCommands = (name: string) => name === "loop";

/** `/a /b do it` invokes both skills, each with `do it` as its arguments. */
function typedSkills(
  { name, args }: TypedCommand,
  known: readonly string[],
  { skill }: Pick<ExpandOptions, "skill">,
): Expansion | undefined {
  const first = skill(name, args);
  if (first?.kind !== "prompt" || takesCommands(name)) return first;
  const more = namesIn(args, known, (each) => skill(each, "")?.kind === "prompt");
  const rest = more.reduce((text, each) => text.slice(each.length + 1).trim(), args);
  return [...new Set([name, ...more])].reduceRight<PromptExpansion | undefined>((next, each) => {
    const expansion = skill(each, rest);
    return expansion?.kind === "prompt" ? { ...expansion, next } : next;
  }, undefined);
}

/** The names of the skills that a text begins with. */
function namesIn(text: string, known: readonly string[], isSkill: (name: string) => boolean): readonly string[] {
  const names: string[] = [];
  for (let typed = readTyped(text, known); typed !== undefined; typed = readTyped(typed.args, known)) {
    if (names.length === MOST_STACKED || !isSkill(typed.name)) break;
    names.push(typed.name);
  }
  return names;
}

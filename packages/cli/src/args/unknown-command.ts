// Recognizes a mistyped command, so that `keelson conifg list` is not sent to a model as a prompt.

import { COMMANDS } from "../commands.ts";
import { nearest } from "./nearest.ts";

/** `help` is not a row of the table, but people mistype it too. */
const HELP = { name: "help", words: Object.fromEntries(COMMANDS.map(({ name }) => [name, 0])) };

/**
 * The error for a first word that was meant as a command; undefined when the words are a prompt. A close match alone
 * is not enough, because `hook up the login form` starts with one: what follows must also fit that command.
 */
export function unknownCommand(argv: readonly string[]): string | undefined {
  const [first, ...rest] = argv;
  if (first === undefined || !/^[\w-]+$/.test(first) || first.startsWith("-") || isPrint(rest)) return undefined;
  const known = [...COMMANDS, HELP];
  const name = nearest(first, namesFor(first), first.length > 5 ? 2 : 1);
  const command = known.find((each) => each.name === name);
  const end = rest.findIndex((word) => word.startsWith("-"));
  const words = end < 0 ? rest : rest.slice(0, end);
  if (command === undefined || !fits(words, command.words)) return undefined;
  return `unknown command "${first}"; did you mean "${name}"?\n${asPrompt([first, ...words])}`;
}

/** Tells people how to send words as a prompt that were taken for a command. */
export const asPrompt = (words: readonly string[]) =>
  `To send it as a prompt: keelson -p '${words.join(" ").replaceAll("'", `'\\''`)}'`;

const namesFor = (first: string) => [...COMMANDS, HELP].map(({ name }) => name).filter((name) => name !== first);

/** With `-p`, also as one of several short flags, the words are a prompt. */
function isPrint(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return (end < 0 ? words : words.slice(0, end)).some((word) => word === "--print" || /^-[a-z]*p/.test(word));
}

function fits([next, ...more]: readonly string[], known: Readonly<Record<string, number>>): boolean {
  if (next === undefined) return true;
  if (Object.hasOwn(known, next)) return more.length <= known[next]!;
  return Object.hasOwn(known, PATH) && more.length === 0 && /[./~]/.test(next);
}

/** In a row of words: the command takes a path. */
const PATH = "<path>";

// Reads what was typed after a slash. Pure.

import { nearestWord } from "@keelson/protocol/nearest-word";

export interface TypedCommand {
  /** Without the slash. */
  readonly name: string;
  readonly args: string;
}

/**
 * Undefined if the text is not a command, such as `/etc/hosts is odd`. Names in `known` may contain spaces
 * and any other characters.
 */
export function readTyped(text: string, known: readonly string[] = []): TypedCommand | undefined {
  const line = text.trim();
  if (!line.startsWith("/")) return undefined;
  const odd = known
    .filter((name) => !PLAIN.test(name) && line.startsWith(name, 1) && /^(?:\s|$)/.test(line.slice(name.length + 1)))
    .sort((a, b) => b.length - a.length)[0];
  const name = odd ?? /^\/([\w:.-]+)(?=\s|$)/.exec(line)?.[1];
  return name === undefined ? undefined : { name, args: line.slice(name.length + 1).trim() };
}

const PLAIN = /^[\w:.-]+$/;

/** What the user reads instead of a run. The first half is the wording of the reference. */
export function unknownCommandText(name: string, known: readonly string[]): string {
  const close = nearestWord(name, known);
  return `Unknown command: /${name}${close === undefined ? "" : `. Did you mean /${close}?`}`;
}

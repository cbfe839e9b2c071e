// A mistake in a file of a plugin or a marketplace, with its place and its fix.

import type * as JsonLine from "./json-line.ts";

export interface PluginProblem {
  readonly file: string;
  readonly line?: number;
  /** What is wrong and how to fix it, without the file. */
  readonly text: string;
  /** The plugin is not loaded because of it. Others drop only the part they are about. */
  readonly fatal?: true;
}

export type JsonPath = readonly (string | number)[];

/** `hooks/hooks.json:12: …` */
export const pluginProblemText = ({ file, line, text }: PluginProblem) =>
  `${file}${line === undefined ? "" : `:${line}`}: ${text}`;

/** The line of a key or value; of the nearest parent if it is missing. Loads a parser: only for reports. */
export function jsonLine(text: string, path: JsonPath): number | undefined {
  return (require("./json-line.ts") as typeof JsonLine).jsonLineOf(text, path);
}

// A mistake in a file of a plugin or a marketplace, with its place and its fix.

import type * as Jsonc from "jsonc-parser";

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
  const { parseTree, findNodeAtLocation } = require("jsonc-parser") as typeof Jsonc;
  const root = parseTree(text, [], { allowTrailingComma: true });
  if (root === undefined) return undefined;
  for (let length = path.length; length >= 0; length--) {
    const node = findNodeAtLocation(root, path.slice(0, length));
    // A property is on the line of its name, even if its value starts further down.
    const shown = node?.parent?.type === "property" ? node.parent : node;
    if (shown !== undefined) return text.slice(0, shown.offset).split("\n").length;
  }
  return undefined;
}

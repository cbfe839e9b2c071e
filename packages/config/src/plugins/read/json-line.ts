// Finds the line of a value in a JSON text.

import { findNodeAtLocation, parseTree } from "jsonc-parser";
import type { JsonPath } from "./problem.ts";

export function jsonLineOf(text: string, path: JsonPath): number | undefined {
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

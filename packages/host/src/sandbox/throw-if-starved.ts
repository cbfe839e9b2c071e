// What guards a command looks at files and folders first. Most failures mean that there is nothing to see, for a command neither.
// A failure for lack of descriptors or memory means nothing: then the command does not run.

import { ToolError } from "@keelson/engine";
import { shortageFix } from "../shortage.ts";

/** Throws a ToolError if an error reports a shortage. */
export function throwIfStarved(error: unknown): void {
  const fix = shortageFix(error);
  if (fix === undefined) return;
  const { message } = error as Error;
  throw new ToolError(`The command was not run, because it could not be shielded: ${message}; ${fix}, then try again`);
}

// Commands, skills and prompts of servers, as an editor offers them.

import { isObject } from "@keelson/protocol";
import type { AvailableCommand } from "../schema/types.ts";

/** All of them, in order; what has no name that could be typed is left out. */
export function availableCommands(commands: unknown): readonly AvailableCommand[] {
  if (!Array.isArray(commands)) return [];
  return (commands as unknown[]).filter(isObject).flatMap(({ name, description, argumentHint: hint }) => {
    if (typeof name !== "string" || name === "" || /\s/.test(name)) return [];
    const about = typeof description === "string" ? description : "";
    return [{ name, description: about, ...(typeof hint === "string" && hint !== "" ? { input: { hint } } : {}) }];
  });
}

// Whether Keelson answers a prompt itself, without the model. Loaded only at a terminal.

import { textOf, type PromptMessage } from "@keelson/protocol";
import { findBuiltInCommand } from "./registry.ts";
import { readTyped } from "./typed.ts";

/** A built-in command that a skill replaces is one, too: nothing but its text is known yet. */
export function needsNoModel(prompt: PromptMessage | undefined): boolean {
  if (prompt === undefined) return false;
  const typed = readTyped(textOf(prompt.message.content));
  return prompt.shell !== undefined || (typed !== undefined && findBuiltInCommand(typed.name) !== undefined);
}

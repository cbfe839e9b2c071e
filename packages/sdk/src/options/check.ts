// Combinations of options that can only be a mistake, refused before anything is started. The rest is for the program.

import type { Options } from "./options.ts";

export function checkOptions(options: Options): void {
  const problem = problemOf(options);
  if (problem !== undefined) throw new Error(problem);
}

function problemOf(options: Options): string | undefined {
  if (options.canUseTool !== undefined && options.permissionPromptToolName !== undefined) {
    return "canUseTool cannot be used together with permissionPromptToolName: give one of them";
  }
  if (options.supportedDialogKinds !== undefined && options.onUserDialog === undefined) {
    return "supportedDialogKinds needs onUserDialog, which answers those dialogs";
  }
  if (options.sessionStore !== undefined && options.persistSession === false) {
    return "sessionStore cannot be used with persistSession: false: the store is fed from the transcript";
  }
  if (options.sessionStore !== undefined && options.enableFileCheckpointing === true) {
    return "sessionStore cannot be used with enableFileCheckpointing: checkpoints stay on this machine";
  }
  if (options.sandbox !== undefined && isPath(options.settings)) {
    return "sandbox cannot be joined with a settings file: give settings as an object, or put the sandbox into the file";
  }
  if (options.fallbackModel !== undefined && options.fallbackModel === options.model) {
    return "fallbackModel must differ from model";
  }
  return undefined;
}

/** Settings given as text are a path unless they are JSON. */
const isPath = (settings: Options["settings"]) => typeof settings === "string" && !settings.trimStart().startsWith("{");

// Rejects combinations of options that can only be a mistake, before anything starts. The program checks the rest.

import type { Options } from "./options.ts";

export function checkOptions(options: Options): void {
  const problem = problemOf(options);
  if (problem !== undefined) throw new Error(problem);
}

function problemOf(options: Options): string | undefined {
  if (options.canUseTool !== undefined && options.permissionPromptToolName !== undefined) {
    return "canUseTool cannot be used together with permissionPromptToolName: use one of them";
  }
  if (options.supportedDialogKinds !== undefined && options.onUserDialog === undefined) {
    return "supportedDialogKinds requires onUserDialog to answer those dialogs";
  }
  if (options.sessionStore !== undefined && options.persistSession === false) {
    return "sessionStore cannot be used with persistSession: false: the store gets its entries from the transcript";
  }
  if (options.sessionStore !== undefined && options.enableFileCheckpointing === true) {
    return "sessionStore cannot be used with enableFileCheckpointing: checkpoints stay on this machine";
  }
  if (options.sandbox !== undefined && isPath(options.settings)) {
    return "sandbox cannot be combined with a settings file: pass settings as an object, or put the sandbox in the file";
  }
  if (options.fallbackModel !== undefined && options.fallbackModel === options.model) {
    return "fallbackModel must differ from model";
  }
  return undefined;
}

/** A settings string is a path unless it is JSON. */
const isPath = (settings: Options["settings"]) => typeof settings === "string" && !settings.trimStart().startsWith("{");

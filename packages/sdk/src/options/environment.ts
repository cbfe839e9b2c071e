// The program's environment: the caller's, or the one given instead, plus variables that identify the SDK.

import { VERSION } from "@keelson/protocol";
import process from "node:process";
import type { Options } from "./options.ts";

export function toEnvironment(options: Options): Record<string, string | undefined> {
  const { env: given, enableFileCheckpointing, toolConfig } = options;
  // These make a Bun program run other code, or behave as plain Bun.
  const { BUN_OPTIONS: _, BUN_BE_BUN: __, ...base } = given ?? process.env;
  const previewFormat = toolConfig?.askUserQuestion?.previewFormat;
  return {
    ...base,
    CLAUDE_CODE_ENTRYPOINT: given?.["CLAUDE_CODE_ENTRYPOINT"] ?? "sdk-ts",
    CLAUDE_AGENT_SDK_VERSION: VERSION,
    CLAUDE_CODE_SDK_READS_SESSION_STATE: "1",
    NoDefaultCurrentDirectoryInExePath: "1",
    ...(enableFileCheckpointing ? { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "true" } : {}),
    ...(previewFormat === undefined ? {} : { CLAUDE_CODE_QUESTION_PREVIEW_FORMAT: previewFormat }),
  };
}

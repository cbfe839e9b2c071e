import { expect, test } from "bun:test";
import { VERSION } from "@keelson/protocol";
import { toEnvironment } from "./environment.ts";

const always = {
  CLAUDE_CODE_ENTRYPOINT: "sdk-ts",
  CLAUDE_AGENT_SDK_VERSION: VERSION,
  CLAUDE_CODE_SDK_READS_SESSION_STATE: "1",
  NoDefaultCurrentDirectoryInExePath: "1",
};

test("toEnvironment() replaces our environment with the given one, and identifies the SDK", () => {
  expect(toEnvironment({ env: { A: "1", BUN_OPTIONS: "--preload=x", BUN_BE_BUN: "1" } })).toEqual({
    A: "1",
    ...always,
  });
  expect(toEnvironment({ env: { CLAUDE_CODE_ENTRYPOINT: "my-app" } })).toEqual({
    ...always,
    CLAUDE_CODE_ENTRYPOINT: "my-app",
  });
});

test("toEnvironment() uses our own environment if none is given", () => {
  const { PATH } = toEnvironment({});
  expect(PATH).toBe(process.env["PATH"]);
});

test("toEnvironment() includes options that have no flag", () => {
  const toolConfig = { askUserQuestion: { previewFormat: "html" } } as const;
  expect(toEnvironment({ env: {}, enableFileCheckpointing: true, toolConfig })).toEqual({
    ...always,
    CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "true",
    CLAUDE_CODE_QUESTION_PREVIEW_FORMAT: "html",
  });
});

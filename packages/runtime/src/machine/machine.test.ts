import { expect, test } from "bun:test";
import { checkpointsEnabled } from "./machine.ts";

const ON = { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "true" };
const OFF = { CLAUDE_CODE_DISABLE_FILE_CHECKPOINTING: "1" };

const CASES: readonly [env: object, setting: boolean | undefined, headless: boolean, interactive: boolean][] = [
  [{}, undefined, false, true],
  [{}, true, true, true],
  [{}, false, false, false],
  [ON, undefined, true, true],
  [ON, false, true, true],
  [{ ...ON, ...OFF }, true, false, false],
];

test.each(CASES)("checkpointsEnabled() with %j and the setting %p", (env, setting, headless, interactive) => {
  const facts = { env: { ...env }, settings: setting === undefined ? {} : { fileCheckpointingEnabled: setting } };
  expect([checkpointsEnabled(facts), checkpointsEnabled(facts, true)]).toEqual([headless, interactive]);
});

import { expect, test } from "bun:test";
import { reasonType } from "./ask.ts";

test("reasonType() maps a decider to its name on the wire", () => {
  expect((["protected", "rule", "mode", "workingDir", "other"] as const).map(reasonType)).toEqual([
    "safetyCheck",
    "rule",
    "mode",
    "workingDir",
    "other",
  ]);
});

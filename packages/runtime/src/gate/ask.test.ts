import { expect, test } from "bun:test";
import { reasonType } from "./ask.ts";

test("reasonType() says what clients know a reason by", () => {
  expect((["protected", "rule", "mode", "workingDir", "other"] as const).map(reasonType)).toEqual([
    "safetyCheck",
    "rule",
    "mode",
    "workingDir",
    "other",
  ]);
});

import { expect, test } from "bun:test";
import { readControlResponse } from "./control.ts";

test.each([
  [
    "nested id, as clients send it",
    { type: "control_response", response: { subtype: "success", request_id: "r", response: { behavior: "allow" } } },
    { subtype: "success", request_id: "r", response: { behavior: "allow" } },
  ],
  [
    "id on top",
    { type: "control_response", request_id: "r", response: { subtype: "success", response: { behavior: "allow" } } },
    { subtype: "success", request_id: "r", response: { behavior: "allow" } },
  ],
  [
    "an error",
    { type: "control_response", response: { subtype: "error", request_id: "r", error: "no" } },
    { subtype: "error", request_id: "r", error: "no" },
  ],
  [
    "an error with a code",
    { type: "control_response", response: { subtype: "error", request_id: "r", error: "no", error_code: "gone" } },
    { subtype: "error", request_id: "r", error: "no", error_code: "gone" },
  ],
  ["no id", { type: "control_response", response: { subtype: "success" } }, undefined],
  ["no response", { type: "control_response", request_id: "r" }, undefined],
])("readControlResponse() reads %s", (_, line, expected) => {
  expect(readControlResponse(line)?.response as unknown).toEqual(expected);
});

import { expect, test } from "bun:test";
import { customTitle, lastPrompt } from "./metadata.ts";

test("a title is one line, and an empty one is none", () => {
  expect(customTitle("s", "  my\n name ")).toEqual({ type: "custom-title", customTitle: "my name", sessionId: "s" });
  expect(customTitle("s", " \n")).toBeUndefined();
});

test("a long prompt is cut without splitting a character", () => {
  const entry = lastPrompt("s", `${"x".repeat(1_999)}😀`, "u");
  expect(entry).toEqual({
    type: "last-prompt",
    lastPrompt: `${"x".repeat(1_999)}`,
    leafUuid: "u",
    sessionId: "s",
  });
});

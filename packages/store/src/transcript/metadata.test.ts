import { expect, test } from "bun:test";
import { customTitle, dequeued, enqueued, lastPrompt, titleText } from "./metadata.ts";

test("customTitle() makes one line of a title, and nothing of an empty one", () => {
  expect(customTitle("s", "  my\n name ")).toEqual({ type: "custom-title", customTitle: "my name", sessionId: "s" });
  expect(customTitle("s", " \n")).toBeUndefined();
});

test("titleText() cuts a long title before an emoji, not inside it", () => {
  expect(titleText(`${"x".repeat(999)}👩‍🚀`)).toBe("x".repeat(999));
  expect(titleText(`${"x".repeat(999)} y`)).toBe("x".repeat(999));
});

test("lastPrompt() keeps the lines of a prompt, and cuts a long one before an emoji", () => {
  expect(lastPrompt("s", "a\n  b", null)).toMatchObject({ lastPrompt: "a\n  b", leafUuid: null });
  expect(lastPrompt("s", `${"x".repeat(1_999)}😀`, "u")).toEqual({
    type: "last-prompt",
    lastPrompt: "x".repeat(1_999),
    leafUuid: "u",
    sessionId: "s",
  });
});

test("enqueued() and dequeued() have a timestamp", () => {
  const at = { type: "queue-operation", timestamp: "1970-01-01T00:00:01.000Z", sessionId: "s" };
  expect(enqueued("s", "hi", 1_000)).toEqual({ ...at, operation: "enqueue", content: "hi" } as never);
  expect(dequeued("s", 1_000)).toEqual({ ...at, operation: "dequeue" } as never);
});

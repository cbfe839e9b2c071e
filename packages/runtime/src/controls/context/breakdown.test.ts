import { expect, test } from "bun:test";
import type { ModelMessage } from "@keelson/protocol";
import { breakdownOf, sizeOfMessages } from "./breakdown.ts";

test("each kind of content is counted once, tools by name, the largest first", () => {
  const messages: ModelMessage[] = [
    {
      role: "user",
      content: [
        { type: "text", text: "<system-reminder>\nnote\n</system-reminder>" },
        { type: "text", text: "x".repeat(40) },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "text", text: "y".repeat(20) },
        { type: "tool_use", id: "a", name: "Read", input: {} },
        { type: "tool_use", id: "b", name: "Bash", input: {} },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a", content: "z".repeat(400) },
        {
          type: "tool_result",
          tool_use_id: "b",
          content: [
            { type: "text", text: "ok" },
            { type: "image", source: { type: "base64", media_type: "image/png", data: "A".repeat(90_000) } },
          ],
        },
      ],
    },
  ];
  const { toolCallsByType, ...sums } = breakdownOf(messages);
  const { attachmentsByType: _, ...all } = sums;
  expect(sizeOfMessages(messages)).toBe(Object.values(all).reduce((sum, tokens) => sum + tokens, 0));
  expect(sums).toEqual({
    toolCallTokens: expect.any(Number),
    toolResultTokens: 100 + 1 + 1_600,
    attachmentTokens: 11,
    assistantMessageTokens: 5,
    userMessageTokens: 10,
    attachmentsByType: [{ name: "system-reminder", tokens: 11 }],
  });
  expect(toolCallsByType.map(({ name, resultTokens }) => [name, resultTokens])).toEqual([
    ["Bash", 1_601],
    ["Read", 100],
  ]);
});

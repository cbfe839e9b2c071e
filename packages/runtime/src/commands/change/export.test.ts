import { expect, test } from "bun:test";
import { markdownOf } from "./export.ts";

test("a conversation reads as it happened, without our own text, and no text ends its fence", () => {
  const text = markdownOf([
    {
      role: "user",
      content: [
        { type: "text", text: "<system-reminder>\nx\n</system-reminder>" },
        { type: "text", text: "Look" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm", signature: "s" },
        { type: "tool_use", id: "t", name: "Read", input: { file_path: "/a" } },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "````\ncode" }] },
    { role: "assistant", content: [{ type: "text", text: "Done" }] },
  ]);
  expect(text).toBe(
    [
      "## User\n\nLook\n\n[image: image/png]",
      '## Assistant\n\n**Read**\n\n```json\n{\n  "file_path": "/a"\n}\n```',
      "## Tool results\n\n**Read**\n\n`````\n````\ncode\n`````",
      "## Assistant\n\nDone",
    ].join("\n\n"),
  );
});

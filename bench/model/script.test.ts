import { expect, test } from "bun:test";
import { prose, read, renderReply } from "./script.ts";

test("renderReply() splits the text into deltas and ends with the calls", () => {
  const events = renderReply({ text: "abcdef", deltas: 3, calls: [read("/a")] }, 4).map(dataOf);
  expect(events.map(({ type }) => type)).toEqual([
    "message_start",
    "content_block_start",
    ...Array.from({ length: 3 }, () => "content_block_delta"),
    "content_block_stop",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
  ]);
  expect(events.flatMap(({ delta }) => delta?.text ?? [])).toEqual(["ab", "cd", "ef"]);
  expect(JSON.parse(events.find(({ delta }) => delta?.partial_json).delta.partial_json)).toEqual({ file_path: "/a" });
  expect(events.at(-2).delta.stop_reason).toBe("tool_use");
});

test("prose() has the given length, and the same seed gives the same text", () => {
  expect(prose(5000, 3)).toHaveLength(5000);
  expect(prose(5000, 3)).toBe(prose(5000, 3));
  expect(prose(5000, 3)).not.toBe(prose(5000, 4));
});

function dataOf(event: string): any {
  return JSON.parse(event.split("\ndata: ")[1]!);
}

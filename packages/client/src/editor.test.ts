// What an editor shows of a session, made from what this package exports and nothing else.

import { expect, test } from "bun:test";
import type { Outbound } from "@keelson/protocol";
import {
  callLine,
  ConversationReader,
  patchOfResult,
  TextParts,
  textsOfHunk,
  type CallItem,
  type ConversationItem,
} from "./index.ts";

/** A call as the Agent Client Protocol has it. */
function shown(call: CallItem): object {
  const patch = patchOfResult(call.input, call.result?.output);
  return {
    title: callLine(call, call.label),
    kind: call.label.kind,
    status: call.state,
    locations: call.label.locations,
    ...(patch ? { diff: patch.hunks.map((hunk) => ({ path: patch.path, ...textsOfHunk(hunk) })) } : {}),
  };
}

test("an editor gets answers as they grow, and calls with title, kind, state, places and diff", () => {
  const updates: object[] = [];
  const update = (item: ConversationItem<TextParts>, delta?: string) => {
    if (item.kind === "call") updates.push(shown(item));
    else if (item.kind === "answer" && delta) updates.push({ chunk: delta });
  };
  const conversation = new ConversationReader<TextParts>({
    newText: () => new TextParts(),
    add: (item) => update(item),
    change: update,
    remove: () => false,
    clear: () => undefined,
  });
  const event = (fields: object) => ({ type: "stream_event", event: fields, parent_tool_use_id: null });
  const input = { file_path: "/p/a.ts", old_string: "b", new_string: "c" };
  const hunk = { oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines: [" a", "-b", "+c"] };
  const meta = {
    id: "e",
    display_name: "Edit",
    tool_name: "Edit",
    kind: "edit",
    title: "a.ts",
    locations: [{ path: "/p/a.ts" }],
  };
  const messages = [
    event({ type: "message_start", message: { id: "m" } }),
    event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "I will" } }),
    {
      type: "assistant",
      parent_tool_use_id: null,
      message: { id: "m", content: [{ type: "text", text: "I will change it" }] },
    },
    {
      type: "assistant",
      parent_tool_use_id: null,
      message: { id: "m", content: [{ type: "tool_use", id: "e", name: "Edit", input }] },
      tool_use_meta: [meta],
    },
    {
      type: "user",
      parent_tool_use_id: null,
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: "e", content: "ok" }] },
      tool_use_result: { filePath: "/p/a.ts", structuredPatch: [hunk] },
    },
  ];
  for (const message of messages) conversation.take(message as Outbound, 0);
  const call = { title: "Edit a.ts", kind: "edit", locations: [{ path: "/p/a.ts" }] };
  expect(updates).toEqual([
    { chunk: "I will" },
    { chunk: " change it" },
    { ...call, status: "running" },
    { ...call, status: "done", diff: [{ path: "/p/a.ts", oldText: "a\nb", newText: "a\nc" }] },
  ]);
});

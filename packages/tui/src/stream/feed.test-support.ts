// Messages as the session sends them, and frames without colors.

import type { Json, JsonObject, Outbound, SystemSubtype } from "@keelson/protocol";
import type { Frame } from "../screen/view.ts";
import { plainTheme as still } from "../theme/theme.test-support.ts";
import type { Theme } from "../theme/theme.ts";
import { Feed, type ConversationOptions } from "./feed.ts";

export const plainTheme: Theme = { ...still, reducedMotion: false };

export const frameOf = (fields: Partial<Frame> = {}): Frame => ({
  columns: 80,
  rows: 24,
  theme: plainTheme,
  now: 10_000,
  ...fields,
});

const stamp = { uuid: "u", session_id: "s" };

export const prompt = (content: string, uuid = "p1"): Outbound => ({
  ...stamp,
  type: "user",
  uuid,
  message: { role: "user", content },
  parent_tool_use_id: null,
  isReplay: true,
});

export const userText = (text: string, more: JsonObject = {}): Outbound =>
  ({
    ...stamp,
    type: "user",
    message: { role: "user", content: [{ type: "text", text }] },
    parent_tool_use_id: null,
    ...more,
  }) as never;

const reply = (block: JsonObject, more: JsonObject = {}): Outbound =>
  ({
    ...stamp,
    type: "assistant",
    message: { id: "m1", type: "message", role: "assistant", model: "m", content: [block], usage: {} },
    parent_tool_use_id: null,
    ...more,
  }) as never;

export const text = (words: string, more: JsonObject = {}) => reply({ type: "text", text: words }, more);

export const synthetic = (words: string, more: JsonObject = {}) =>
  text(words, {
    message: {
      id: "c1",
      type: "message",
      role: "assistant",
      model: "<synthetic>",
      content: [{ type: "text", text: words }],
      usage: {},
    },
    ...more,
  });

export const thinking = (words: string) => reply({ type: "thinking", thinking: words, signature: "" });

export const call = (id: string, name: string, input: JsonObject = {}, parent: string | null = null) =>
  reply({ type: "tool_use", id, name, input }, { parent_tool_use_id: parent });

/** A call with what the session says about it. */
export const labelled = (id: string, name: string, input: JsonObject, meta: JsonObject) =>
  reply(
    { type: "tool_use", id, name, input },
    { tool_use_meta: [{ id, display_name: name, tool_name: name, ...meta }] },
  );

export const result = (id: string, content: string, output?: Json, more: JsonObject = {}): Outbound =>
  ({
    ...stamp,
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content, is_error: false }] },
    parent_tool_use_id: null,
    ...(output === undefined ? {} : { tool_use_result: output }),
    ...more,
  }) as never;

export const failure = (id: string, content: string, more: JsonObject = {}): Outbound =>
  ({
    ...stamp,
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content, is_error: true }] },
    parent_tool_use_id: null,
    tool_use_result: `Error: ${content}`,
    ...more,
  }) as never;

export const system = (subtype: SystemSubtype, fields: JsonObject = {}): Outbound =>
  ({ ...stamp, type: "system", subtype, ...fields }) as never;

export const event = (fields: JsonObject): Outbound =>
  ({ ...stamp, type: "stream_event", event: fields, parent_tool_use_id: null }) as never;

export const start = (id = "m1") =>
  event({ type: "message_start", message: { id, role: "assistant", model: "m", content: [], usage: {} } });

export const delta = (words: string, index = 0) =>
  event({ type: "content_block_delta", index, delta: { type: "text_delta", text: words } });

export const openText = (index = 0) =>
  event({ type: "content_block_start", index, content_block: { type: "text", text: "" } });

/** What a call that runs has printed so far. */
export const running = (id: string, more: JsonObject = {}): Outbound =>
  ({ ...stamp, type: "tool_running", tool_use_id: id, ...more }) as never;

export const end = (fields: JsonObject = {}): Outbound =>
  ({
    ...stamp,
    type: "result",
    subtype: "success",
    is_error: false,
    duration_ms: 900,
    duration_api_ms: 1,
    num_turns: 1,
    result: "",
    total_cost_usd: 0,
    usage: {},
    modelUsage: {},
    permission_denials: [],
    terminal_reason: "completed",
    ...fields,
  }) as never;

const KEYS: Readonly<Record<string, string>> = { "app:toggleTranscript": "ctrl+o", "task:background": "ctrl+b" };

export const feedOf = (options: Partial<ConversationOptions> = {}) =>
  new Feed({ cwd: "/p", hint: (action) => KEYS[action], ...options });

/** The rows that are final after these messages. */
export function written(messages: readonly Outbound[], columns = 80): string[] {
  const feed = feedOf();
  for (const message of messages) feed.take(message, 10_000);
  return feed.finished(frameOf({ columns }));
}

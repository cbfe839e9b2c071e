// The built-in offline model: no network, and the same answer every time. It carries out plain requests with the tools
// on offer, and says what it is and what it cannot do.

import { jsonOf, type StreamEvent, type Usage } from "@keelson/protocol";
import { ModelError, type ModelProvider, type ModelRequest } from "@keelson/engine";
import { OFFLINE_ID } from "../profiles/profiles.ts";
import { replyTo, type OfflineReply } from "./reply.ts";

const CHARACTERS_PER_TOKEN = 4;
const MOST_DELTAS = 200;

export function offlineProvider(): ModelProvider {
  return {
    id: "offline",
    async *stream(request, signal) {
      const reply = replyTo(request.messages, new Set(request.tools.map(({ name }) => name)));
      for (const event of eventsOf(reply, request)) {
        if (signal.aborted) throw new ModelError("aborted", "Request was aborted");
        yield event;
      }
    },
    async countTokens(request) {
      return inputTokens(request);
    },
  };
}

function* eventsOf({ text, calls }: OfflineReply, request: ModelRequest): Generator<StreamEvent> {
  const usage: Usage = {
    input_tokens: inputTokens(request),
    output_tokens: tokens(text.length + JSON.stringify(calls).length),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  };
  const turn = request.messages.length;
  yield {
    type: "message_start",
    message: {
      id: `msg_offline_${turn}`,
      type: "message",
      role: "assistant",
      model: OFFLINE_ID,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...usage, output_tokens: 1 },
    },
  };
  let index = 0;
  if (text !== "") {
    yield { type: "content_block_start", index, content_block: { type: "text", text: "" } };
    for (const piece of pieces(text))
      yield { type: "content_block_delta", index, delta: { type: "text_delta", text: piece } };
    yield { type: "content_block_stop", index: index++ };
  }
  for (const [number, { name, input }] of calls.entries()) {
    // Unique in its session and the same every time, because the conversation grows with every call.
    const id = `toolu_offline_${Bun.hash(jsonOf(request.messages[0] ?? {})).toString(36)}_${turn}_${number + 1}`;
    yield { type: "content_block_start", index, content_block: { type: "tool_use", id, name, input: {} } };
    for (const partial_json of pieces(JSON.stringify(input)))
      yield { type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json } };
    yield { type: "content_block_stop", index: index++ };
  }
  const stop_reason = calls.length > 0 ? "tool_use" : "end_turn";
  yield { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage };
  yield { type: "message_stop" };
}

/** A few words at a time; longer pieces for long texts. */
function pieces(text: string): readonly string[] {
  const size = Math.max(24, Math.ceil(text.length / MOST_DELTAS));
  return text.match(new RegExp(`[\\s\\S]{1,${size}}`, "gu")) ?? [];
}

function inputTokens({ system, messages, tools }: ModelRequest): number {
  return tokens([...system, ...messages, ...tools].reduce((sum, part) => sum + jsonOf(part).length, 0));
}

function tokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

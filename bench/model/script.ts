// The scripted model's replies and their wire format. Pure.

export interface Call {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** One reply of the model. */
export interface Reply {
  readonly text?: string;
  /** How many deltas the text is split into. */
  readonly deltas?: number;
  readonly calls?: readonly Call[];
  /** How long the model takes before it answers. */
  readonly afterMs?: number;
  /** How long it takes for each event. */
  readonly eventMs?: number;
}

export const read = (path: string): Call => ({ name: "Read", input: { file_path: path } });
export const shell = (command: string): Call => ({ name: "Bash", input: { command, description: "benchmark" } });
export const grep = (pattern: string, path: string): Call => ({
  name: "Grep",
  input: { pattern, path, output_mode: "files_with_matches" },
});
export const glob = (pattern: string, path: string): Call => ({ name: "Glob", input: { pattern, path } });

export const agent = (prompt: string, more: object = {}): Call => ({
  name: "Agent",
  input: { description: "benchmark", prompt, subagent_type: "general-purpose", ...more },
});

/** The reply as server-sent events, one string per event. */
export function renderReply(reply: Reply, number: number): string[] {
  const events: string[] = [];
  const emit = (type: string, data: object) => {
    events.push(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  };
  // Always few tokens, so the client never compacts during a measurement.
  const usage = { input_tokens: 100, output_tokens: 1 };
  const message = { id: `msg_${number}`, type: "message", role: "assistant", model: "scripted", content: [] };
  emit("message_start", { message: { ...message, stop_reason: null, stop_sequence: null, usage } });

  let index = 0;
  if (reply.text !== undefined) {
    emit("content_block_start", { index, content_block: { type: "text", text: "" } });
    for (const text of cut(reply.text, reply.deltas ?? 1)) {
      emit("content_block_delta", { index, delta: { type: "text_delta", text } });
    }
    emit("content_block_stop", { index });
    index++;
  }
  for (const { name, input } of reply.calls ?? []) {
    const id = `toolu_${number}_${index}`;
    emit("content_block_start", { index, content_block: { type: "tool_use", id, name, input: {} } });
    emit("content_block_delta", { index, delta: { type: "input_json_delta", partial_json: JSON.stringify(input) } });
    emit("content_block_stop", { index });
    index++;
  }
  const stop_reason = reply.calls?.length ? "tool_use" : "end_turn";
  emit("message_delta", { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 20 } });
  emit("message_stop", {});
  return events;
}

function cut(text: string, pieces: number): string[] {
  const size = Math.max(1, Math.ceil(text.length / pieces));
  return Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size));
}

/** Random words, `size` characters in total. The same seed gives the same text. */
export function prose(size: number, seed: number): string {
  const words = [
    "harbour",
    "ledger",
    "between",
    "a",
    "quiet",
    "signal",
    "of",
    "copper",
    "moves",
    "under",
    "the",
    "tide",
  ];
  let state = seed + 1;
  let text = "";
  while (text.length < size) {
    state = (state * 48271) % 2147483647;
    text += words[state % words.length] + (state % 11 === 0 ? "\n" : " ");
  }
  return text.slice(0, size);
}

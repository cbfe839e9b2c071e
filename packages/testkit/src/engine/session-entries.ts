// The entries of an invented session, in any order in which a program may record them: results of parallel calls arrive
// at any time, even while the reply that made the calls is still being written.

import { isChainEntry, type ChainEntry, type ContentBlock } from "@keelson/protocol";

/** The runs of a session; each is a list of replies. */
export type SessionShape = readonly (readonly ReplyShape[])[];

export interface ReplyShape {
  readonly thinks: boolean;
  readonly says: boolean;
  /** For each call, how many blocks are recorded between it and its result. */
  readonly calls: readonly number[];
  /** A text after the calls. */
  readonly adds: boolean;
}

/** A shape for any numbers, so a property test only has to choose numbers. */
export function shapeOf(numbers: readonly number[]): SessionShape {
  const runs: ReplyShape[][] = [];
  for (const bits of numbers) {
    const calls = Array.from({ length: (bits >>> 3) % 5 }, (_, at) => (bits >>> (6 + 3 * at)) % 6);
    const reply = { thinks: (bits & 1) > 0, says: (bits & 2) > 0, calls, adds: (bits & 4) > 0 };
    if (runs.length === 0 || (bits >>> 24) % 4 === 0) runs.push([reply]);
    else runs.at(-1)!.push(reply);
  }
  return runs;
}

export interface EntryOptions {
  /** A block's parent: the block before it, or the last recorded entry. Both occur in practice. */
  readonly parents: "block" | "last";
}

/** Every text, call and result is unique, so each can be found again. */
export function sessionEntries(shape: SessionShape, { parents }: EntryOptions): readonly ChainEntry[] {
  const entries: ChainEntry[] = [];
  let count = 0;
  const uuid = () => `00000000-0000-4000-8000-${String(++count).padStart(12, "0")}`;
  const last = () => entries.at(-1)?.uuid ?? null;
  const put = (parentUuid: string | null, subject: { readonly type: string; readonly message: object }) => {
    const entry = { parentUuid, isSidechain: false, ...subject, uuid: uuid(), sessionId: SESSION };
    if (!isChainEntry(entry)) throw new Error(`"${subject.type}" is no type of an entry`);
    entries.push(entry);
    return entry.uuid;
  };

  for (const replies of shape) {
    put(last(), { type: "user", message: { role: "user", content: `prompt ${count}` } });
    for (const reply of replies) {
      const id = `msg_${count}`;
      const blocks = blocksOf(reply, id);
      const due: { at: number; call: string; parent: string }[] = [];
      let parent = last();
      blocks.forEach((block, index) => {
        const end = index === blocks.length - 1;
        parent = put(parents === "block" ? parent : last(), assistant(id, block, end ? "end_turn" : null));
        if (block.type === "tool_use") {
          const wait = reply.calls[due.length] ?? 0;
          due.push({ at: index + wait, call: (block as { id: string }).id, parent });
        }
        for (const result of due.filter(({ at }) => at === index || (end && at > index))) {
          put(result.parent, answer(result.call));
        }
      });
    }
  }
  return entries;
}

const SESSION = "11111111-1111-4111-8111-111111111111";

function blocksOf({ thinks, says, calls, adds }: ReplyShape, id: string): ContentBlock[] {
  const text = (name: string): ContentBlock => ({ type: "text", text: `${name} of ${id}` });
  const blocks: ContentBlock[] = [
    ...(thinks ? [{ type: "thinking", thinking: `thought of ${id}`, signature: "s" } as const] : []),
    ...(says ? [text("text")] : []),
    ...calls.map((_, at) => ({ type: "tool_use", id: `call_${id}_${at}`, name: "Read", input: {} }) as const),
    ...(adds ? [text("end")] : []),
  ];
  return blocks.every(({ type }) => type === "thinking") ? [...blocks, text("text")] : blocks;
}

const assistant = (id: string, block: ContentBlock, stopReason: string | null) => ({
  type: "assistant",
  message: {
    id,
    type: "message",
    role: "assistant",
    model: "m",
    content: [block],
    stop_reason: stopReason,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  },
});

const answer = (call: string) => ({
  type: "user",
  message: { role: "user", content: [{ tool_use_id: call, type: "tool_result", content: `result of ${call}` }] },
});

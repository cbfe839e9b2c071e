// Reads stream-json from standard input and passes prompts and control messages to the session.

import { LineSplitter, type Inbound } from "@keelson/protocol";
import { LONGEST_INBOUND, readInbound, unreadable } from "@keelson/protocol/inbound";

/** Passes every message to `send` until the input ends; awaits `room` between chunks. Throws InputError. */
export async function read(
  stdin: AsyncIterable<Uint8Array>,
  send: (input: Inbound) => void,
  room: (bytes: number) => void | Promise<void> = () => undefined,
): Promise<void> {
  const splitter = new LineSplitter({ maxBytes: LONGEST_INBOUND });
  const take = (line: string) => {
    const input = readInbound(line);
    if (input !== undefined) send(input);
  };
  for await (const chunk of stdin) {
    try {
      for (const line of splitter.push(chunk)) take(line);
    } catch (error) {
      throw error instanceof RangeError ? unreadable(error.message) : error;
    }
    const full = room(chunk.length);
    if (full !== undefined) await full;
  }
  const rest = splitter.rest();
  if (rest !== undefined) take(rest);
}

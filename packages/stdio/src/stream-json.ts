// The stream-json front end: one message per line, in both directions.

import { isResult, toLine, type AttachOptions, type Inbound, type Session } from "@keelson/protocol";
import { watchReader } from "./orphan.ts";
import { outputLine } from "./output-line.ts";
import { InputError, read } from "./input/read.ts";
import type { Streams } from "./streams.ts";
import { sendPrompt, watch } from "./watch.ts";
import { lineWriter } from "./write.ts";

export interface StreamOptions {
  /** How the reader of the stream attaches to the session. */
  readonly attach: AttachOptions;
  /** Sent first, if given. */
  readonly prompt?: string;
  /** Read further messages from standard input until it ends. */
  readonly input: boolean;
  /** Echo control responses from the client, as the reference does with replay (test/conformance/protocol/cases/prompts.ts). */
  readonly replay?: boolean;
}

/**
 * How much to read from a client that does not read our output, before it has to wait. Less would block clients that
 * write everything before they start to read; more would let replies pile up in memory.
 */
const MOST_UNREAD = 16 * 1024 * 1024;

/** Runs until the session ends and everything is written. Returns the exit code. */
export async function streamJson(session: Session, streams: Streams, options: StreamOptions): Promise<number> {
  // A silent run would not notice otherwise that the reader is gone.
  const out = lineWriter(
    (text) => streams.write(text),
    () => void session.close("terminate"),
  );
  const watching = watch(session, options.attach);
  const { client } = watching;
  let code = 0;
  let refused: unknown;
  let stopWatchingReader = () => {};
  /** Set while the reader is behind; `taken` counts the input bytes since then. */
  let blocked: Promise<void> | undefined;
  let taken = 0;

  const feed = async () => {
    if (options.prompt !== undefined) sendPrompt(client, options.prompt);
    if (options.input) {
      const take = (input: Inbound) => {
        client.send(input);
        // A failed write is reported again by the flush below.
        if (options.replay && input.type === "control_response") out.add(toLine(input))?.catch(() => undefined);
      };
      await read(streams.stdin, take, (bytes) => {
        if (blocked === undefined) return void (taken = 0);
        taken += bytes;
        return taken > MOST_UNREAD ? blocked : undefined;
      });
      if (streams.isOrphan !== undefined) {
        const write = async (line: string) => {
          await out.add(line);
          await out.flush();
        };
        const end = () => void session.close("terminate");
        stopWatchingReader = watchReader(() => streams.isOrphan!(), write, end);
      }
    }
    await session.close("end_of_input");
  };
  // Not awaited: a session may end while its input is still open (`end_session`, signals).
  feed().catch(async (error: unknown) => {
    refused = error;
    await session.close("terminate");
  });

  const heard = await watching.until(
    (message) => {
      if (isResult(message)) code = message.is_error ? 1 : 0;
      const slow = out.add(outputLine(message));
      blocked = slow?.catch(() => undefined).finally(() => (blocked = undefined));
      return slow;
    },
    () => out.flush(),
  );
  stopWatchingReader();
  if (!heard) return 0;
  if (refused === undefined) return code;
  if (!(refused instanceof InputError)) throw refused;
  streams.error(refused.message);
  return 1;
}

// The stream-json front end: one message per line, in both directions.

import { isResult, toLine, type AttachOptions, type Inbound, type Session } from "@keelson/protocol";
import { InputError } from "@keelson/protocol/inbound";
import { watchReader } from "./orphan.ts";
import { outputLine } from "./output-line.ts";
import { read } from "./input/read.ts";
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
  let closing: Promise<void> | undefined;
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
    await (closing = session.close("end_of_input"));
  };
  // Not awaited: a session may end while its input is still open (`end_session`, signals).
  feed().catch(async (error: unknown) => {
    refused = error;
    // If it is the end itself that failed, that is the error already.
    await session.close("terminate").catch(() => undefined);
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
  // What fails at the very end is reported, too: the last message has been sent by then.
  if (refused === undefined) await (closing ?? session.close("end_of_input"));
  if (refused === undefined) return code;
  if (!(refused instanceof InputError)) throw refused;
  streams.error(refused.message);
  return 1;
}

// The stream-json front end: every message one line, both ways.

import { isResult, toLine, type Session } from "@keelson/protocol";
import { InputError, read } from "./read.ts";
import type { Streams } from "./streams.ts";
import { sendPrompt, watch } from "./watch.ts";
import { lineWriter } from "./write.ts";

export interface StreamOptions {
  /** Sent first, if given. */
  readonly prompt?: string;
  /** Read further messages from standard input until it ends. */
  readonly input: boolean;
  /** Echo the control responses a client sends, as clients that asked for replay expect (observed, 2.1.325). */
  readonly replay?: boolean;
}

/** Runs until the session has ended and everything is written. Returns the exit code. */
export async function streamJson(session: Session, streams: Streams, options: StreamOptions): Promise<number> {
  const out = lineWriter((text) => streams.write(text));
  const watching = watch(session);
  let code = 0;
  let refused: unknown;

  const feed = async () => {
    if (options.prompt !== undefined) sendPrompt(session, options.prompt);
    if (options.input) {
      await read(streams.stdin, (input) => {
        session.send(input);
        // A failed write shows again when the watch below flushes.
        if (options.replay && input.type === "control_response") out.add(toLine(input))?.catch(() => undefined);
      });
    }
    await session.close("end_of_input");
  };
  // Not awaited: a session may end although its input stays open (`end_session`, signals).
  feed().catch(async (error: unknown) => {
    refused = error;
    await session.close("terminate");
  });

  const heard = await watching.until(
    (message) => {
      if (isResult(message)) code = message.is_error ? 1 : 0;
      return out.add(toLine(message));
    },
    () => out.flush(),
  );
  if (!heard) return 0;
  if (refused === undefined) return code;
  if (!(refused instanceof InputError)) throw refused;
  streams.error(refused.message);
  return 1;
}

// The stream-json front end: every message one line, both ways.

import { isResult, toLine, type Inbound, type Session } from "@keelson/protocol";
import { watchReader } from "./orphan.ts";
import { outputLine } from "./output-line.ts";
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

/**
 * Somebody who writes and does not read is listened to for so many bytes more, and then made to wait: what they ask
 * for must not pile up. Less would hold up clients that write all they have before they begin to read.
 */
const MOST_UNREAD = 16 * 1024 * 1024;

/** Runs until the session has ended and everything is written. Returns the exit code. */
export async function streamJson(session: Session, streams: Streams, options: StreamOptions): Promise<number> {
  // A run that has nothing to say for a while would not learn that nobody listens any more.
  const out = lineWriter(
    (text) => streams.write(text),
    () => void session.close("terminate"),
  );
  const watching = watch(session);
  let code = 0;
  let refused: unknown;
  let stopWatchingReader = () => {};
  /** Set while nobody reads what we write, and how much came in since. */
  let blocked: Promise<void> | undefined;
  let taken = 0;

  const feed = async () => {
    if (options.prompt !== undefined) sendPrompt(session, options.prompt);
    if (options.input) {
      const take = (input: Inbound) => {
        session.send(input);
        // A failed write shows again when the watch below flushes.
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
  // Not awaited: a session may end although its input stays open (`end_session`, signals).
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

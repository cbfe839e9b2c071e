// Clients in the process of the session, with no pipe between: one that is alone with it, one that attaches to a session
// which somebody else opened and holds, and the terminal's.

import type { Inbound, Outbound, SessionClient } from "@keelson/protocol";
import { main } from "../../../../packages/cli/src/main.ts";
import { ioHere, sessionsHere } from "../../here.ts";
import { heldSession, sessionWith } from "../../second.ts";
import { throughLink } from "../../terminal-link.ts";
import type { Client, Open } from "../play.ts";
import type { End } from "../scenario.ts";
import { flagsOf, initializeOf } from "./pipe-start.ts";
import { talk } from "./talk.ts";

/** `second`: another client is there before it. `terminal`: it is the terminal's link. */
export const openAttached =
  (kind: "alone" | "second" | "terminal"): Open =>
  (start, answers, place, book): Client => {
    const unsent: object[] = [];
    let client: SessionClient | undefined;
    const send = (message: object) => void (client ? client.send(message as Inbound) : unsent.push(message));
    const { take, ask, askAs, end } = talk(answers, book, send);
    const attached = (next: SessionClient) => {
      client = next;
      for (const message of unsent.splice(0)) send(message);
      return next;
    };
    const input = new TransformStream<Uint8Array, Uint8Array>();
    const signals = new Map<string, () => void>();
    const hung = Promise.withResolvers<number>();
    signals.set("SIGKILL", () => hung.resolve(-1));
    const errors: string[] = [];
    const kept: Record<string, string> = start.enableFileCheckpointing
      ? { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "true" }
      : {};
    const io = ioHere({
      project: place.project,
      env: { ...place.env, ...kept },
      stdin: input.readable,
      write: () => undefined,
      error: (text) => void errors.push(text),
      onSignal: (name, listener) => void signals.set(name, listener),
      sessions: sessionsHere((session) =>
        kind === "second"
          ? heldSession(session, (client) => readAll(attached(client), take))
          : sessionWith(session, (how) => {
              const own = kind === "terminal" ? throughLink(session, how) : session.attach(how);
              return passing(attached(own), take);
            }),
      ),
    });
    const first = initializeOf(start, answers);
    if (first !== undefined) void askAs("initialize", first);
    const closeInput = () => void input.writable.close().catch(() => undefined);
    return {
      say: send,
      ask,
      endInput: closeInput,
      signal: (name) => signals.get(name)?.(),
      close: closeInput,
      ended: Promise.race([main(flagsOf(start, answers), io), hung.promise]).then((code): End => {
        end();
        return { code, signal: null, stderr: errors.map((line) => `${line}\n`).join("") };
      }),
    };
  };

/** The same client, whose messages are noted down on their way to the front end. */
function passing(client: SessionClient, take: (message: Outbound) => void): SessionClient {
  return {
    id: client.id,
    get cursor() {
      return client.cursor;
    },
    send: (message) => client.send(message),
    detach: () => client.detach(),
    messages: (async function* () {
      for await (const message of client.messages) {
        take(message);
        yield message;
      }
    })(),
  };
}

async function readAll({ messages }: SessionClient, take: (message: Outbound) => void): Promise<void> {
  for await (const message of messages) take(message);
}

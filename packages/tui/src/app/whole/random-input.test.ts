// Random keys, pastes, replies and window sizes in whatever state they lead to: nothing fails, nothing is sent that no
// key confirmed, and the prompt can be used afterwards. For a long run: KEELSON_RANDOM_EVENTS=100000, and another
// KEELSON_RANDOM_SEED for other events.

import { expect, test } from "bun:test";
import type { Inbound, JsonObject } from "@keelson/protocol";
import { FakeSession, turnEnd } from "./fake-session.test-support.ts";
import { HOST, Random, REPLIES } from "./random.test-support.ts";
import { randomBytes, randomKey, randomMessages } from "./random-events.test-support.ts";
import { FakeClock, startFakeProgram, type FakeProgram } from "./fake-terminal.test-support.ts";
import { foreignSequences } from "./sequences.test-support.ts";

const EVENTS = Number(process.env["KEELSON_RANDOM_EVENTS"] ?? 6_000);
const SEED = Number(process.env["KEELSON_RANDOM_SEED"] ?? 1);
/** So many events in one life of the program. */
const LIFE = 200;

/** What only a person may say. */
function confirmed(sent: readonly Inbound[]): readonly Inbound[] {
  return sent.filter((input) => {
    if (input.type === "control_response") return isYes(input.response as never);
    if (input.type === "control_request") return /^(?:run_shell|add_memory|update_)/.test(input.request.subtype);
    return input.type === "user";
  });
}

function isYes({ response }: { readonly response?: JsonObject }): boolean {
  return response?.["behavior"] === "allow" || response?.["action"] === "accept";
}

/** Out of everything, then a prompt that must arrive. */
async function expectUsable(program: FakeProgram, session: FakeSession, clock: FakeClock): Promise<void> {
  const step = async (keys: string) => {
    program.type(keys);
    await program.settled();
    clock.advance(400);
    await program.settled();
  };
  // Ends what is half a sequence or half a paste.
  await step("\x1b[201~");
  session.say(turnEnd());
  // More than there can be questions, panels and fields; a draft is cleared by two of them.
  for (let round = 0; round < 60; round++) {
    await step(round % 3 === 2 ? "\x1b" : "q\x1b");
    clock.advance(3_000);
    if (program.outcome) return;
  }
  session.say(turnEnd());
  await step("i\x15\x15");
  clock.advance(3_000);
  const before = session.sent.length;
  await step("\x1b[13;2u still here\r");
  // To the model, to the shell or to the memory, whatever the prompt is for.
  expect(JSON.stringify(session.sent.slice(before))).toContain("still here");
}

const LIVES: readonly [name: string, settings: JsonObject, screenReader: boolean][] = [
  ["normal keys", {}, false],
  ["vim keys", { editorMode: "vim" }, false],
  ["a screen reader", {}, true],
];

const LIMIT = { timeout: 30_000 + EVENTS * 10 };

test.each(LIVES)(
  "random events with %s",
  async (_, settings, screenReader) => {
    const random = new Random(SEED);
    let failure: unknown;
    const failed = (error: unknown) => void (failure ??= error);
    process.on("unhandledRejection", failed);
    try {
      for (let done = 0; done < EVENTS / LIVES.length;) {
        using clock = new FakeClock();
        const session = new FakeSession(REPLIES);
        const program = startFakeProgram({ clock, session, settings, screenReader, host: HOST });
        await program.settled();
        const log: string[] = [];
        try {
          for (let at = 0; at < LIFE && !program.outcome; at++) {
            const what = random.below(10);
            const before = confirmed(session.sent).length;
            if (what < 6) {
              const keys = randomKey(random);
              log.push(JSON.stringify(keys));
              program.type(keys);
            } else if (what === 6) {
              const pieces = randomBytes(random);
              log.push(`no key ${pieces.map((piece) => JSON.stringify(String.fromCharCode(...piece))).join(" ")}`);
              for (const piece of pieces) program.type(piece);
            } else if (what === 7) {
              const [columns, rows] = [1 + random.below(150), 1 + random.below(50)];
              program.resize(columns, rows);
              log.push(`${columns}×${rows}`);
            } else {
              const messages = randomMessages(random, at);
              log.push(`said ${messages[0]!.type}`);
              session.say(...messages);
            }
            await program.settled();
            clock.advance(random.of([0, 5, 40, 60, 400, 2_000]));
            await program.settled();
            if (what >= 6) expect(confirmed(session.sent).length).toBe(before);
            const written = program.written();
            expect(foreignSequences(written, { plain: screenReader })).toEqual([]);
            // A failure that was only shown.
            expect(written).not.toMatch(
              /is not a function|is not an object|is not iterable|RangeError|could not be shown/,
            );
            expect(failure).toBeUndefined();
          }
          if (!program.outcome) await expectUsable(program, session, clock);
          expect(program.outcome?.code ?? 0).toBe(0);
          program.end.abort();
          await program.done;
          expect(program.isRaw).toBe(false);
          expect(failure).toBeUndefined();
        } catch (error) {
          throw new Error(`After ${log.slice(-25).join(", ")} (${done + log.length})`, { cause: error });
        }
        done += log.length;
      }
    } finally {
      process.off("unhandledRejection", failed);
    }
  },
  LIMIT,
);

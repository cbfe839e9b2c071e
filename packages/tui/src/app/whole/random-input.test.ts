// Random keys, pastes, replies and window sizes in whatever state they lead to: nothing fails, nothing is sent that no
// key confirmed, and the prompt can be used afterwards. For a long run: KEELSON_RANDOM_EVENTS=100000.

import { expect, test } from "bun:test";
import type { Inbound, JsonObject, Outbound } from "@keelson/protocol";
import {
  assistant,
  FakeSession,
  streamEnd,
  streamPiece,
  streamStart,
  toolResult,
  turnEnd,
} from "./fake-session.test-support.ts";
import { QUESTIONS, Random, REPLIES } from "./random.test-support.ts";
import { FakeClock, startFakeProgram, type FakeProgram } from "./fake-terminal.test-support.ts";
import { foreignSequences } from "./sequences.test-support.ts";

const EVENTS = Number(process.env["KEELSON_RANDOM_EVENTS"] ?? 2_000);
const SEED = Number(process.env["KEELSON_RANDOM_SEED"] ?? 1);
/** So many events in one life of the program. */
const LIFE = 200;

const COMMANDS = [
  "/help",
  "/config",
  "/permissions",
  "/mcp",
  "/status",
  "/model",
  "/resume",
  "/rewind",
  "/theme",
  "/diff",
].concat(["/export", "/usage", "/context", "/tasks", "/vim", "/memory", "/doctor", "/btw why"]);
const NAMED = [..."ABCDHF"]
  .map((letter) => `\x1b[${letter}`)
  .concat(["\x1b[3~", "\x1b[5~", "\x1b[6~", "\x1b[Z", "\x1bOP"]);
/** What is no key. Some of it is only the beginning of a sequence. */
const NO_KEYS = [
  "\x1b[I",
  "\x1b[O",
  "\x1b[5;9R",
  "\x1b[>0;276;0c",
  "\x1b[?0u",
  "\x1b]11;rgb:ffff/ffff/ffff\x1b\\",
  "\x1bP>|xterm.js(6.0.0)\x1b\\",
  "\x1b[?997;2n",
  "\x1b[200~one\rtwo /x @y !z\x1b[2J\r\x1b[201~",
  `\x1b[200~${"line\r".repeat(300)}\x1b[201~`,
  "\x1b[<0;3;4M",
  "\x1b]52;c;aGk=\x07",
];

/** A key, as bytes. */
function randomKey(random: Random): string {
  switch (random.below(8)) {
    case 0:
      return random.of(NAMED);
    case 1:
      return String.fromCharCode(1 + random.below(26));
    case 2:
      return random.of(["\r", "\r", "\x1b", "\t", "\x7f", "\x1b[13;2u", "\x1b\r", "\x1b[27;5;13~", "\x1b[57414u"]);
    case 3:
      return `\x1b${random.of([..."abdfptvyo\x7f"])}`;
    case 4:
      return random.of([...COMMANDS.map((command) => `\x15${command}\r`), "@a", "/co", "!ls", "#note"]);
    case 5:
      return random.of(["日", "👨‍👩‍👧", "e\u0301", "ש", "\u0000", "\x9b", "1", "2", "3", "y", "n", "?", "/", "@", "!"]);
    default:
      return String.fromCharCode(32 + random.below(95));
  }
}

/** What the model and the session do by themselves. */
function randomMessages(random: Random, number: number): readonly Outbound[] {
  const id = `m${number}`;
  switch (random.below(8)) {
    case 0:
      return streamStart(id);
    case 1:
      return [
        streamPiece(random.of(["some words ", "\n\n- item\n", "```ts\nconst a = 1;\n", "\x1b[2J\x1b]0;evil\x07"])),
      ];
    case 2:
      return streamEnd(id, "some words and more");
    case 3:
      return [assistant(id, { type: "tool_use", id: `t${number}`, name: "Bash", input: { command: "ls" } })];
    case 4:
      return [toolResult(`t${number - 1}`, "one\ntwo\n\x1b[31mred")];
    case 5:
      return [turnEnd()];
    default:
      return [{ ...random.of(QUESTIONS), request_id: `r${number}` }];
  }
}

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

test.each(LIVES)("random events with %s", async (_, settings, screenReader) => {
  const random = new Random(SEED);
  let failure: unknown;
  const failed = (error: unknown) => void (failure ??= error);
  process.on("unhandledRejection", failed);
  try {
    for (let done = 0; done < EVENTS / LIVES.length;) {
      using clock = new FakeClock();
      const session = new FakeSession(REPLIES);
      const program = startFakeProgram({ clock, session, settings, screenReader });
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
            const bytes = new TextEncoder().encode(random.of(NO_KEYS));
            const cut = random.below(bytes.length);
            log.push(`no key ${JSON.stringify(new TextDecoder().decode(bytes))} cut at ${cut}`);
            program.type(bytes.subarray(0, cut));
            program.type(bytes.subarray(cut));
          } else if (what === 7) {
            program.resize(20 + random.below(120), 5 + random.below(40));
            log.push("resize");
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
});

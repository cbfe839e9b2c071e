// Random events for the whole program: keys, bytes that are no keys, and what a session says by itself.

import type { Outbound } from "@keelson/protocol";
import {
  assistant,
  streamEnd,
  streamPiece,
  streamStart,
  toolResult,
  turnEnd,
  turnFailed,
} from "./fake-session.test-support.ts";
import { QUESTIONS, type Random } from "./random.test-support.ts";

const COMMANDS = [
  ...["agents", "background", "btw why", "config", "context", "copy", "diff", "doctor", "effort", "export", "help"],
  ...["hooks", "keybindings", "mcp", "memory", "model", "output-style", "permissions", "plugin", "recap", "resume"],
  ...["rewind", "skills", "status", "statusline", "tasks", "terminal-setup", "theme", "usage", "vim", "voice"],
].map((name) => `\x15/${name}\r`);
const NAMED = [..."ABCDHF"]
  .map((letter) => `\x1b[${letter}`)
  .concat(["\x1b[3~", "\x1b[5~", "\x1b[6~", "\x1b[Z", "\x1bOP", "\x1b[1;5C", "\x1b[1;3D", "\x1b[[A", "\x1b\x1b[A"]);
/** What is no key. */
const NO_KEYS = [
  ...["\x1b[I", "\x1b[O", "\x1b[5;9R", "\x1b[0;0R", "\x1b[>0;276;0c", "\x1b[?0u", "\x1b[?997;2n", "\x1b]52;c;aGk=\x07"],
  ...["\x1b]11;rgb:ffff/ffff/ffff\x1b\\", "\x1bP>|xterm.js(6.0.0)\x1b\\", "\x1b_Gi=1;OK\x1b\\", "\x1b[8;24;80t"],
  ...["\x1b[<0;3;4M", "\x1b[<64;3;4M", "\x1b[<35;200;90m", "\x1b[M !!", "\x1b[32;3;4M", "\x1b[97;5:3u"],
  "\x1b[200~one\rtwo /x @y !z\x1b[2J\r\x1b[201~",
  "\x1b[200~\x1b[200~\x00\x1b]0;x\x07\x1b[201~",
  `\x1b[200~${"line\r".repeat(300)}\x1b[201~`,
];

/** A key, as bytes. */
export function randomKey(random: Random): string {
  switch (random.below(9)) {
    case 0:
      return random.of(NAMED);
    case 1:
      return String.fromCharCode(1 + random.below(26));
    case 2:
      return random.of(["\r", "\r", "\x1b", "\t", "\x7f", "\x1b[13;2u", "\x1b\r", "\x1b[27;5;13~", "\x1b[57414u"]);
    case 3:
      return `\x1b${random.of([..."abdfptvyo\x7f"])}`;
    case 4:
      return random.of([...COMMANDS, "@a", "/co", "!ls", "#note", "\x12", "\x0f", "\x07", "\x1b[1;2A"]);
    case 5:
      return random.of(["日", "👨‍👩‍👧", "e\u0301", "ש", "\u0000", "\x9b", "1", "2", "3", "y", "n", "?", "/", "@", "!"]);
    case 6:
      return `\x1b[${random.of([97, 99, 13, 27, 9, 32, 127, 57_358, 0x1f600])};${1 + random.below(16)}u`;
    default:
      return String.fromCharCode(32 + random.below(95));
  }
}

/** A sequence in two pieces, or bytes that are the start, the middle or the end of something. None of it confirms anything. */
export function randomBytes(random: Random): readonly Uint8Array[] {
  const bytes = new TextEncoder().encode(random.of(NO_KEYS));
  const cut = random.below(bytes.length);
  if (random.below(3) > 0) return [bytes.subarray(0, cut), bytes.subarray(cut)];
  return [Uint8Array.from({ length: 1 + random.below(6) }, () => 0x80 + random.below(0x80))];
}

/** What the model and the session do by themselves. */
export function randomMessages(random: Random, number: number): readonly Outbound[] {
  const id = `m${number}`;
  const call = (name: string, input: Record<string, unknown>) =>
    assistant(id, { type: "tool_use", id: `t${number}`, name, input: input as never });
  switch (random.below(13)) {
    case 0:
      return streamStart(id);
    case 1:
      return [
        streamPiece(random.of(["some words ", "\n\n- item\n", "```ts\nconst a = 1;\n", "\x1b[2J\x1b]0;evil\x07"])),
      ];
    case 2:
      return streamEnd(id, "some words and more");
    case 3:
      return [call("Bash", { command: "ls" })];
    case 4:
      return [toolResult(`t${number - 1}`, "one\ntwo\n\x1b[31mred")];
    case 5:
      return [turnEnd()];
    case 6:
      return [turnFailed()];
    case 7:
      return [call("TodoWrite", { todos: [{ content: "Do it", status: "in_progress", activeForm: "Doing it" }] })];
    case 8:
      // The session takes a question back.
      return [{ type: "control_cancel_request", request_id: `r${number - 1 - random.below(10)}` } as Outbound];
    default:
      return [{ ...random.of(QUESTIONS), request_id: `r${number}` }];
  }
}

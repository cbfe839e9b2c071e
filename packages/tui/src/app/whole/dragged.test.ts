// A window that is resized again and again while the agent works, with all that can be on the screen, and with frames
// that are still on their way. For many stories: KEELSON_RANDOM_STORIES=500, from KEELSON_RANDOM_SEED on.

import { expect, test } from "bun:test";
import { makeEmulator } from "@keelson/testkit/terminal";
import {
  assistant,
  FakeSession,
  streamEnd,
  streamPiece,
  streamStart,
  toolResult,
  turnEnd,
} from "./fake-session.test-support.ts";
import { FakeClock, startFakeProgram } from "./fake-terminal.test-support.ts";
import { QUESTIONS, Random, REPLIES } from "./random.test-support.ts";

const STORIES = Number(process.env["KEELSON_RANDOM_STORIES"] ?? 15);
const SEED = Number(process.env["KEELSON_RANDOM_SEED"] ?? 1);
/** Stories that went wrong once. */
const FOUND = [20_144, 20_347, 30_272];
/** High enough for what is live, however it is wrapped: a terminal gives back nothing that it has scrolled away. */
const HEIGHTS = [40, 60] as const;
/** Only what is live looks like this. */
const LIVE = /to interrupt|^[─╌]{20}|^status line of the user/;

test(
  "a window that is dragged while the agent works has each line of the answer once, above one prompt",
  async () => {
    const wrong: object[] = [];
    for (const seed of [...FOUND, ...Array.from({ length: STORIES }, (_, at) => SEED + at)]) {
      const found = await new Story(seed).tell();
      if (Object.values(found).some((each) => each.length > 0)) wrong.push({ seed, ...found });
    }
    expect(wrong).toEqual([]);
  },
  // For long runs; it does not matter otherwise.
  { timeout: 60_000 + 5_000 * STORIES },
);

class Story {
  readonly #random: Random;
  readonly #clock = new FakeClock();
  readonly #session = new FakeSession(REPLIES);
  readonly #emulator: ReturnType<typeof makeEmulator>;
  readonly #program: ReturnType<typeof startFakeProgram>;
  readonly #replies: string[] = [];
  /** What was written and has not arrived. */
  #held: string[] | undefined;
  /** Signs that are in one line each, and cannot be broken. */
  readonly #marks: string[] = [];
  #answer: { readonly id: string; text: string } | undefined;
  #calls = 0;
  /** The terminal itself has put rows that are live into its scrollback. */
  #scrolledAway = false;

  constructor(seed: number) {
    this.#random = new Random(seed * 7919);
    const [columns, rows] = [this.#between(30, 200), this.#between(...HEIGHTS)];
    this.#emulator = makeEmulator({ columns, rows, scrollback: 100_000 });
    this.#emulator.onReply((text) => this.#replies.push(text));
    this.#program = startFakeProgram({
      clock: this.#clock,
      session: this.#session,
      columns,
      rows,
      settings: { statusLine: { type: "command", command: "x" } },
      host: { statusLine: async () => "status line of the user\nand its second row" },
      write: (text) => void (this.#held ? this.#held.push(text) : this.#arrive(text)),
    });
  }

  async tell() {
    using _clock = this.#clock;
    await this.#settled();
    this.#program.type("go\r");
    await this.#settled();
    for (let step = 0; step < 20; step++) {
      this.#happen(step);
      await this.#program.settled();
      this.#clock.advance(this.#between(0, 80));
      if (this.#random.below(2) === 0) await this.#jump();
      else await this.#drag();
      if (this.#random.below(2) === 0) await this.#settled();
    }
    await this.#end();
    const lines = this.#emulator.scrollback({ joined: true });
    const text = lines.join("\n");
    const count = (mark: string) => text.split(mark).length - 1;
    const live = lines.filter((line) => LIVE.test(line));
    this.#program.end.abort();
    await this.#program.done;
    this.#emulator.dispose();
    return {
      lost: this.#marks.filter((mark) => count(mark) === 0),
      doubled: this.#marks.filter((mark) => count(mark) > 1),
      left: this.#scrolledAway || live.length === 3 ? [] : live,
    };
  }

  /** Something of the session or of the user. */
  #happen(step: number): void {
    switch (this.#random.below(11)) {
      case 0:
        this.#endAnswer();
        return this.#call("Bash", { command: "ls" });
      case 1:
        return this.#call("TodoWrite", {
          todos: [
            { content: "One thing", status: "in_progress", activeForm: "Doing one thing" },
            { content: "Another", status: "pending", activeForm: "Doing another" },
          ],
        });
      case 2:
        return this.#program.type(`typed\x1b\rsecond line ${"long ".repeat(this.#random.below(12))}\x1b\r`);
      case 3:
        return this.#session.say({ ...this.#random.of(QUESTIONS), request_id: `r${step}` });
      case 4:
        return this.#program.type(this.#random.of(["\x0f", "\x15/model\r", "\x15/config\r", "\x15/resume\r", "\x14"]));
      case 5:
        return this.#program.type(this.#random.of(["\x1b[A", "\x1b[B", "x", "\t"]));
      case 6:
        return this.#program.type("\x1b[27u");
      default:
        return this.#say();
    }
  }

  #call(name: string, input: Record<string, unknown>): void {
    const id = `t${++this.#calls}`;
    this.#session.say(
      assistant(`c${id}`, { type: "tool_use", id, name, input: input as never }),
      toolResult(id, "one\ntwo"),
    );
  }

  /** A block of the answer, in two pieces. */
  #say(): void {
    if (!this.#answer) {
      this.#answer = { id: `m${++this.#calls}`, text: "" };
      this.#session.say(...streamStart(this.#answer.id));
    }
    const block = `\n\n${this.#block()}\n\n`;
    this.#answer.text += block;
    const cut = this.#random.below(block.length);
    this.#session.say(streamPiece(block.slice(0, cut)), streamPiece(block.slice(cut)));
  }

  #block(): string {
    const marks = Array.from({ length: this.#between(1, 3) }, () => {
      const mark = String.fromCodePoint(0x1401 + this.#marks.length);
      this.#marks.push(mark);
      return mark;
    });
    switch (this.#random.below(7)) {
      case 0:
        return ["| a | b |", "|---|---|", ...marks.map((mark) => `| ${mark} | words |`)].join("\n");
      case 1:
        return ["```ts", ...marks.map((mark) => `const x = "${mark}";`), "```"].join("\n");
      case 2:
        return marks.map((mark) => `- 日本語の行 ${mark} と絵文字`).join("\n");
      case 3:
        return marks.map((mark) => `${mark}${"x".repeat(this.#between(30, 200))}`).join(" ");
      case 4:
        return `# Title ${marks.join(" ")}`;
      default:
        return marks
          .map((mark) => `${mark} words of a line ${"and more ".repeat(this.#random.below(12))}`)
          .join("\n\n");
    }
  }

  #endAnswer(): void {
    if (this.#answer) this.#session.say(...streamEnd(this.#answer.id, this.#answer.text));
    this.#answer = undefined;
  }

  /** One or two sizes while a frame is on its way. */
  async #jump(): Promise<void> {
    this.#held ??= [];
    this.#say();
    await this.#program.settled();
    this.#clock.advance(60);
    this.#resize(this.#someSize());
    if (this.#random.below(2) === 0) {
      this.#clock.advance(this.#between(0, 40));
      this.#resize(this.#someSize());
    }
    this.#release();
    await this.#delivered();
  }

  /** Many sizes, each a moment after the last. */
  async #drag(): Promise<void> {
    const steps = this.#random.below(10);
    const { columns, rows } = this.#emulator;
    const [toColumns, toRows] = this.#someSize();
    const part = (from: number, to: number, step: number) => Math.round(from + ((to - from) * step) / steps);
    for (let step = 1; step <= steps; step++) {
      if (this.#random.below(2) === 0) this.#held ??= [];
      if (this.#random.below(3) === 0) this.#say();
      await this.#program.settled();
      this.#resize([part(columns, toColumns, step), part(rows, toRows, step)]);
      this.#clock.advance(this.#between(0, 30));
      if (this.#random.below(2) === 0) {
        this.#release();
        await this.#delivered();
      }
    }
    this.#release();
    await this.#delivered();
  }

  #someSize(): readonly [columns: number, rows: number] {
    const { columns, rows } = this.#emulator;
    const near = (from: number, by: number, least: number) => Math.max(least, from + this.#between(-by, by));
    switch (this.#random.below(4)) {
      case 0:
        return [columns, this.#between(...HEIGHTS)];
      case 1:
        return [this.#between(30, 200), rows];
      case 2:
        return [near(columns, 10, 30), near(rows, 4, HEIGHTS[0])];
      default:
        return [this.#between(30, 200), this.#between(...HEIGHTS)];
    }
  }

  #resize([columns, rows]: readonly [columns: number, rows: number]): void {
    this.#emulator.resize(columns, rows);
    if (!this.#emulator.modes.alternateScreen) {
      const all = this.#emulator.scrollback();
      this.#scrolledAway ||= all.slice(0, all.length - rows).some((line) => LIVE.test(line));
    }
    this.#program.resize(columns, rows);
  }

  #arrive(text: string): void {
    this.#emulator.write(text, () => {});
    this.#clock.advance(0);
  }

  #release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const text of held) this.#arrive(text);
  }

  /** The answers of the terminal are here, and the answers to what was written then. */
  async #delivered(): Promise<void> {
    for (let round = 0; round < 20; round++) {
      await this.#program.settled();
      this.#clock.advance(0);
      const replies = this.#replies.splice(0);
      if (replies.length === 0) return;
      this.#program.type(replies.join(""));
    }
  }

  async #settled(): Promise<void> {
    for (let round = 0; round < 8; round++) {
      await this.#delivered();
      this.#clock.advance(60);
    }
    await this.#delivered();
  }

  /** Out of every dialog, with an empty prompt. */
  async #end(): Promise<void> {
    this.#endAnswer();
    await this.#settled();
    this.#session.say(turnEnd());
    await this.#settled();
    for (let round = 0; round < 12; round++) {
      this.#program.type("q\x1b[27u");
      await this.#settled();
      this.#clock.advance(1_000);
    }
    this.#session.say(turnEnd());
    await this.#settled();
  }

  #between(from: number, to: number): number {
    return from + this.#random.below(to - from + 1);
  }
}

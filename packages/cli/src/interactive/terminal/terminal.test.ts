// The parts of the terminal port that need no terminal; the whole is tested in a pty (test/sessions/terminal).

import { afterEach, beforeEach, expect, test } from "bun:test";
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TerminalInput } from "./input.ts";
import { TerminalOutput } from "./output.ts";

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "keelson-port-"));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

/** A pipe that holds 64 KiB, which stands for a terminal that does not read. */
function pipe() {
  const path = join(place, "pipe");
  Bun.spawnSync(["mkfifo", path]);
  const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const write = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  const take = () => {
    const bytes = Buffer.alloc(32 * 1024);
    try {
      return bytes.toString("latin1", 0, readSync(read, bytes));
    } catch {
      return "";
    }
  };
  return { read, write, take };
}

test("what a terminal has no room for is kept, in order, and nothing waits", async () => {
  const { write, read, take } = pipe();
  const output = new TerminalOutput(write, () => undefined);
  const lines = Array.from({ length: 20_000 }, (_, at) => `line ${at}\n`);
  for (const line of lines) output.write(line);
  let seen = "";
  const drained = output.drained(60_000).then(() => true);
  while (!(await Promise.race([drained, Bun.sleep(0).then(() => false)]))) seen += take();
  for (let more = take(); more !== ""; more = take()) seen += more;
  expect(seen).toBe(lines.join(""));
  closeSync(read);
  closeSync(write);
});

test("a terminal that is gone is reported once, and nothing is thrown", async () => {
  const { write, read } = pipe();
  let gone = 0;
  const output = new TerminalOutput(write, () => gone++);
  closeSync(read);
  output.write("one");
  output.write("two");
  await output.drained(1);
  output.drainNow(1);
  expect(gone).toBe(1);
  closeSync(write);
});

/** A keyboard whose keys come from the test. */
function keyboard() {
  const waiting: ((chunk: { done: boolean; value?: Uint8Array }) => void)[] = [];
  const opened: string[] = [];
  const open = () => {
    opened.push("open");
    return {
      read: () => new Promise<{ done: boolean; value?: Uint8Array }>((resolve) => waiting.push(resolve)),
      async cancel() {
        opened.push("cancel");
        waiting.shift()?.({ done: true });
      },
    };
  };
  const type = (text: string) => waiting.shift()?.({ done: false, value: new TextEncoder().encode(text) });
  return { open, opened, type, end: () => waiting.shift()?.({ done: true }) };
}

test("keys that no one listens to are kept for the next listener; lent keys are not the end", async () => {
  const { open, opened, type, end } = keyboard();
  let gone = 0;
  const input = new TerminalInput(open, () => gone++);
  const seen: string[] = [];
  const listener = (chunk: Uint8Array) => void seen.push(new TextDecoder().decode(chunk));
  const stop = input.listen(listener);
  type("a");
  await Bun.sleep(0);
  stop();
  type("b");
  await Bun.sleep(0);
  expect(seen).toEqual(["a"]);
  input.listen(listener);
  expect(seen).toEqual(["a", "b"]);
  await input.stop();
  input.start();
  expect([opened, gone]).toEqual([["open", "cancel", "open"], 0]);
  end();
  await Bun.sleep(0);
  expect(gone).toBe(1);
});

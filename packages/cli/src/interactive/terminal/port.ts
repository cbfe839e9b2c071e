// The terminal of this process, for the front end: raw mode, keys, size, and stopping with Ctrl+Z.

import { closeSync, openSync } from "node:fs";
import { ReadStream, WriteStream } from "node:tty";
import type { Terminal } from "@keelson/tui";
import { openDevice } from "./device.ts";
import { TerminalInput } from "./input.ts";
import { TerminalOutput } from "./output.ts";

/** The terminal, and what only the program around the front end does with it. */
export interface TerminalPort extends Terminal {
  /** Leaves the terminal to another program, such as an editor, until it has ended. `stdin` is for that program. */
  lend<T>(use: (stdin: number | "inherit") => Promise<T>): Promise<T>;
  /** Puts the line mode back and writes what is left, without waiting for anything but a short time. */
  restore(): void;
  /** Ends reading and writing. */
  close(): Promise<void>;
}

/** A terminal that reads nothing must not keep the program from ending. */
const LAST_WRITES_MS = 500;
/** In a process group without a shell, SIGTSTP stops nothing, and no one continues it. */
const NOT_STOPPED_MS = 200;

export function openTerminalPort(stdin: { readonly isTerminal: boolean }): TerminalPort {
  const screen = openDevice(1);
  const keys = stdin.isTerminal ? openDevice(0) : screen;
  let size = new WriteStream(1);
  const mode = new ReadStream(stdin.isTerminal ? 0 : keys.fd);
  const goneListeners = new Set<() => void>();
  const resizeListeners = new Set<() => void>();
  let isGone = false;
  let isRaw = false;

  const gone = () => {
    if (isGone) return;
    isGone = true;
    for (const listener of [...goneListeners]) listener();
  };
  const setRaw = (raw: boolean) => {
    isRaw = raw;
    try {
      mode.setRawMode(raw);
    } catch {
      gone();
    }
  };
  const output = new TerminalOutput(screen.fd, gone);
  const input = new TerminalInput(() => (keys.own ? Bun.file(keys.fd) : Bun.stdin).stream().getReader(), gone);
  const resized = () => {
    // The size is looked up when it is made.
    size = new WriteStream(1);
    for (const listener of [...resizeListeners]) listener();
  };
  // A shell puts its own line mode in place while the program is stopped, whoever stopped it.
  const continued = () => {
    if (!isRaw) return;
    setRaw(false);
    setRaw(true);
    resized();
  };
  process.on("SIGWINCH", resized);
  process.on("SIGCONT", continued);

  return {
    get columns() {
      return size.columns || 80;
    },
    get rows() {
      return size.rows || 24;
    },
    write: (text) => output.write(text),
    onInput: (listener) => input.listen(listener),
    onResize: (listener) => added(resizeListeners, listener),
    onGone: (listener) => added(goneListeners, listener),
    setRaw(raw) {
      if (raw !== isRaw) setRaw(raw);
    },
    async stop() {
      await output.drained(LAST_WRITES_MS);
      await new Promise<void>((done) => {
        process.once("SIGCONT", () => done());
        // The whole group, as the shell's own Ctrl+Z would: `npm start` is stopped, too.
        process.kill(0, "SIGTSTP");
        setTimeout(done, NOT_STOPPED_MS);
      });
    },
    async lend(use) {
      const wasRaw = isRaw;
      await output.drained(LAST_WRITES_MS);
      await input.stop();
      if (wasRaw) setRaw(false);
      const lent = stdin.isTerminal ? undefined : openSync("/dev/tty", "r+");
      try {
        return await use(lent ?? "inherit");
      } finally {
        if (lent !== undefined) closeSync(lent);
        if (wasRaw) setRaw(true);
        input.start();
      }
    },
    restore() {
      output.drainNow(LAST_WRITES_MS);
      if (isRaw) setRaw(false);
    },
    async close() {
      await output.drained(LAST_WRITES_MS);
      if (isRaw) setRaw(false);
      process.off("SIGCONT", continued);
      process.off("SIGWINCH", resized);
      await input.stop();
    },
  };
}

function added(listeners: Set<() => void>, listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

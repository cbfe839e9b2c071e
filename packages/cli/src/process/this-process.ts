// The I/O of this process: its streams, signals and environment.

import { closeSync, constants, fstatSync, openSync, readFileSync, statSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import type * as Os from "node:os";
import type * as Tty from "node:tty";
import { printableLines } from "@keelson/protocol";
import type { ProcessIO } from "./process-io.ts";
import type * as TerminalOutput from "./terminal-output.ts";

export function thisProcess(sessions: ProcessIO["sessions"], preload: () => Promise<unknown>): ProcessIO {
  const parent = process.ppid;
  const stdout = isTerminal(1);
  const io: ProcessIO = {
    preload,
    moved({ cwd, env }) {
      process.chdir(cwd);
      for (const name of Object.keys(process.env)) delete process.env[name];
      Object.assign(process.env, env);
      return { ...io, cwd: process.cwd(), home: env["HOME"] || homeOfUser(), env: process.env };
    },
    cwd: process.cwd(),
    home: process.env["HOME"] || homeOfUser(),
    env: process.env,
    platform: process.platform,
    ...(process.getuid === undefined ? {} : { uid: process.getuid() }),
    terminal: { stdin: isTerminal(0), stdout, stdinIsNull: isNull(0) },
    whyUnwritable: () => (wasClosed(1) ? CLOSED : undefined),
    sessions,
    stdin: standardInput,
    write: standardOutput(stdout),
    ...(stdout ? { style: (code) => terminalOutput().styleMark(code) } : {}),
    error(text) {
      try {
        writeSync(2, `${printable(text)}\n`);
      } catch {
        // Standard error is closed, and there is nowhere else to report that.
      }
    },
    isOrphan: () => process.ppid !== parent,
    append: appendLine,
    wait,
    onSignal(signal, listener) {
      process.on(signal, listener);
      return () => void process.off(signal, listener);
    },
    exit: (code) => process.exit(code),
  };
  return io;
}

/** `node:os` takes half a millisecond to load. */
const homeOfUser = () => (require("node:os") as typeof Os).homedir();

/** How to start this program again: the executable alone, or Bun with the source. */
export function thisProgram(): readonly string[] {
  const isBuilt = Bun.main.startsWith("/$bunfs/") || /^[A-Z]:[\\/]~BUN/.test(Bun.main);
  return isBuilt ? [process.execPath] : [process.execPath, ...process.execArgv, Bun.main];
}

// Bun's sink instead of `process.stdout`: its promises resolve when the reader has room again, and a write to a closed
// pipe fails with EPIPE.
function standardOutput(isTerminal: boolean): ProcessIO["write"] {
  let sink: Bun.FileSink | undefined;
  return async (text) => {
    if (sink === undefined && wasClosed(1)) throw new Error(CLOSED);
    sink ??= Bun.stdout.writer();
    try {
      await Promise.all([sink.write(isTerminal ? terminalOutput().forTerminal(text) : text), sink.flush()]);
    } catch (error) {
      throw isReaderGone(error) ? error : streamError("write to standard output", error);
    }
  };
}

const CLOSED = "Standard output is closed; redirect it to a file, or to /dev/null";

const isReaderGone = (error: unknown) => (error as NodeJS.ErrnoException).code === "EPIPE";

function streamError(what: string, error: unknown): Error {
  const { message, code } = error as NodeJS.ErrnoException;
  // As in `ENOSPC: no space left on device, write`.
  const why = /^[A-Z0-9]+: (.*?)(?:, \w+)?$/.exec(message)?.[1] ?? message;
  return Object.assign(new Error(`Could not ${what}: ${why}`, { cause: error }), { code });
}

function standardInput(): AsyncIterable<Uint8Array> {
  const failed = (error: unknown): never => {
    throw streamError("read standard input", error);
  };
  return {
    [Symbol.asyncIterator]() {
      let chunks: AsyncIterator<Uint8Array>;
      try {
        chunks = Bun.stdin.stream()[Symbol.asyncIterator]();
      } catch (error) {
        return failed(error);
      }
      return {
        next: () => chunks.next().catch(failed),
        return: async () => (await chunks.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}

/**
 * Whether a stream was closed when the program started: Bun then opens /dev/null in its place, to be closed in programs that
 * it starts, which no stream that was inherited is. Known on Linux only.
 */
function wasClosed(fd: number): boolean {
  try {
    if (!isNull(fd)) return false;
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "latin1"))?.[1] ?? "0";
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) !== 0;
  } catch {
    return false; // no /proc
  }
}

const CLOSE_ON_EXEC = 0o2000000;

const terminalOutput = () => require("./terminal-output.ts") as typeof TerminalOutput;

/** Not through a link, and not to a pipe without a reader, which would wait for one. */
function appendLine(file: string, text: string): void {
  const { O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_WRONLY } = constants;
  const fd = openSync(resolve(file), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    writeSync(fd, text);
  } finally {
    closeSync(fd);
  }
}

/** File names and error texts may contain escape sequences; keep them away from the terminal. */
const printable = printableLines;

/** Looks for a character device other than `/dev/null` first, because `node:tty` takes 3 ms to load. */
function isTerminal(fd: number): boolean {
  try {
    if (!fstatSync(fd).isCharacterDevice() || isNull(fd)) return false;
    return (require("node:tty") as typeof Tty).isatty(fd);
  } catch {
    // A closed descriptor is not a terminal.
    return false;
  }
}

function isNull(fd: number): boolean {
  try {
    const { rdev } = fstatSync(fd);
    return rdev !== 0 && rdev === statSync("/dev/null").rdev;
  } catch {
    return false;
  }
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      done();
    });
  });
}

// The I/O of this process: its streams, signals and environment.

import { closeSync, constants, fstatSync, openSync, statSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import type * as Os from "node:os";
import type * as Tty from "node:tty";
import { printableLines } from "@keelson/protocol";
import type { OpenSession } from "../open.ts";
import type { ProcessIO } from "./process-io.ts";
import type * as TerminalOutput from "./terminal-output.ts";

export function thisProcess(openSession: OpenSession, preload: () => Promise<unknown>): ProcessIO {
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
    openSession,
    stdin: () => Bun.stdin.stream(),
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
    sink ??= Bun.stdout.writer();
    await Promise.all([sink.write(isTerminal ? terminalOutput().forTerminal(text) : text), sink.flush()]);
  };
}

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

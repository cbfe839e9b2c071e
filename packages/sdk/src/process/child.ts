// One running program: lines to it, lines from it, its end. It knows nothing about messages.

import { LineSplitter } from "@keelson/protocol";
import { existsSync } from "node:fs";
import { CLIConnectionError, CLINotFoundError, type Exit } from "../errors.ts";
import { endAtExit } from "./at-exit.ts";
import type { SpawnedProcess } from "./spawn.ts";

export interface Child {
  /**
   * Undefined if there is room for more; otherwise settles when there is. Never rejects: the end says what went wrong.
   */
  write(line: string): Promise<void> | undefined;
  endInput(): void;
  /** Stops reading; the program waits once the pipe is full. */
  pause(): void;
  resume(): void;
  /** Ends its input; two seconds later sends SIGTERM, then SIGKILL. */
  stop(): void;
  /** While set aside, the program does not keep this process alive. */
  setAside(aside: boolean): void;
}

export interface ChildEvents {
  line(line: string): void;
  stderr?(text: string): void;
  /** Called after the last line. `failure` is set if the program could not be run or read at all. */
  end(exit: Exit, failure?: Error): void;
}

export interface Launch {
  readonly process: SpawnedProcess;
  readonly command: string;
  readonly cwd?: string | undefined;
  /** Aborted when the program is terminated. */
  readonly force: AbortController;
}

const TERMINATE_AFTER = 2_000;
const KILL_AFTER = 5_000;
/** How long a process that holds the output open may outlive the program. */
const LINGER = 1_000;
const STDERR_TAIL = 16_384;
const MAX_LINE = 256 * 1024 * 1024;

export function superviseChild({ process: child, command, cwd, force }: Launch, events: ChildEvents): Child {
  const splitter = new LineSplitter({ maxBytes: MAX_LINE });
  const forget = endAtExit(child);
  const timers: NodeJS.Timeout[] = [];
  let stderr = "";
  let exit: Omit<Exit, "stderr"> | undefined;
  let outputOver = false;
  let paused = false;
  let stopping = false;
  let over = false;
  /** Set while the pipe is full. Shared by everyone who waits: Node warns of a leak at the eleventh listener. */
  let room: Promise<void> | undefined;

  const finish = (failure?: Error) => {
    if (over) return;
    over = true;
    timers.forEach(clearTimeout);
    forget();
    if (failure === undefined) {
      const rest = splitter.rest();
      if (rest !== undefined) events.line(rest);
    }
    events.end({ exitCode: exit?.exitCode ?? null, signal: exit?.signal ?? null, stderr }, failure);
  };
  const finishIfDone = () => {
    if (exit !== undefined && outputOver) finish();
  };
  const later = (ms: number, act: () => void) => {
    const timer = setTimeout(act, ms);
    timer.unref();
    timers.push(timer);
  };
  const linger = () => later(LINGER, () => (paused ? linger() : finish()));

  child.stdout.on("data", (chunk: Uint8Array | string) => {
    if (over) return;
    try {
      for (const line of splitter.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk)) events.line(line);
    } catch (error) {
      finish(new CLIConnectionError((error as Error).message, { cause: error }));
      child.kill("SIGTERM");
    }
  });
  const outputEnds = () => {
    outputOver = true;
    finishIfDone();
  };
  child.stdout.once("end", outputEnds);
  child.stdout.once("close", outputEnds);
  child.stdout.once("error", outputEnds);
  child.stderr?.setEncoding("utf8");
  child.stderr?.on("data", (text: string) => {
    stderr = (stderr + text).slice(-STDERR_TAIL);
    events.stderr?.(text);
  });
  child.stderr?.on("error", () => undefined);
  // A program may end before it has read everything; its end says why.
  child.stdin.on("error", () => undefined);

  child.once("exit", (exitCode, signal) => {
    exit = { exitCode, signal };
    finishIfDone();
    if (!over) linger();
  });
  child.once("error", (error) => finish(startFailure(error, command, cwd)));

  return {
    write(line) {
      if (over || !child.stdin.writable) return undefined;
      if (child.stdin.write(line)) return undefined;
      return (room ??= roomIn(child.stdin).then(() => void (room = undefined)));
    },
    endInput: () => void child.stdin.end(),
    pause() {
      paused = true;
      child.stdout.pause();
    },
    resume() {
      paused = false;
      child.stdout.resume();
    },
    stop() {
      if (over || stopping) return;
      stopping = true;
      child.stdin.end();
      // The remaining output is not needed, but left unread it would keep the program from ending.
      paused = false;
      child.stdout.resume();
      later(TERMINATE_AFTER, () => {
        force.abort();
        child.kill("SIGTERM");
        later(KILL_AFTER, () => child.kill("SIGKILL"));
      });
    },
    setAside(aside) {
      for (const handle of [child, child.stdin, child.stdout, child.stderr]) {
        const { ref, unref } = (handle ?? {}) as { ref?(): void; unref?(): void };
        (aside ? unref : ref)?.call(handle);
      }
    },
  };
}

function roomIn(input: SpawnedProcess["stdin"]): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      input.off("drain", done);
      input.off("close", done);
      resolve();
    };
    input.once("drain", done);
    input.once("close", done);
  });
}

function startFailure(error: Error, command: string, cwd: string | undefined): Error {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== "ENOENT")
    return new CLIConnectionError(`${command} could not be started: ${error.message}`, { cause: error });
  if (cwd !== undefined && !existsSync(cwd))
    return new CLIConnectionError(`The folder "${cwd}" does not exist`, { cause: error });
  return new CLINotFoundError(
    `Program "${command}" not found. Set the path of keelson in pathToKeelsonExecutable or KEELSON_BIN`,
    { cause: error },
  );
}

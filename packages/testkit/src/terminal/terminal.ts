// Runs a program in a real pty in front of a terminal emulator: keys in, what a user sees out. Nothing outlives the
// test. The test decides what the rows mean.

import { temporaryHome, type TemporaryHome } from "../program/home.ts";
import { ownGroup } from "../program/own-group.ts";
import { programCommand } from "../program/run-program.ts";
import { makeEmulator, type Emulator, type EmulatorOptions, type TerminalModes } from "./emulator.ts";
import { keyBytes } from "./keys.ts";

export interface TestTerminalOptions extends Partial<EmulatorOptions> {
  /** What to run. If absent, the program: $KEELSON_BIN, else the source tree. */
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  /** A home of its own if absent, removed at the end. */
  readonly home?: TemporaryHome;
  /** Added to the home's environment and TERM=xterm-256color; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The project if absent. */
  readonly cwd?: string;
  /** Address of the mock model. */
  readonly url?: string;
}

export interface TerminalExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A text on the screen, a pattern found in its rows, or anything else that can be looked at. */
export type TerminalCondition = string | RegExp | ((terminal: TestTerminal) => boolean);

export interface TestTerminal extends AsyncDisposable, Pick<Emulator, "screen" | "scrollback" | "cursor"> {
  readonly pid: number;
  readonly home: TemporaryHome;
  readonly columns: number;
  readonly rows: number;
  readonly title: string;
  readonly cursorVisible: boolean;
  readonly modes: TerminalModes;
  /** Whether what is typed is echoed by the terminal itself, as in a shell. */
  readonly echoes: boolean;
  /** Everything the program wrote. */
  readonly bytes: string;
  /** How the program ended, once all it wrote is on the screen. */
  readonly exited: Promise<TerminalExit>;
  /** All at once, as it is. */
  type(text: string): void;
  /** `ctrl+c`, `esc`, `shift+tab`, `alt+enter` …, one after the other. */
  press(...keys: readonly string[]): void;
  /** As one bracketed paste if the program asked for them. */
  paste(text: string): void;
  resize(columns: number, rows: number): void;
  /** A place in `bytes`, for `since`. */
  mark(): number;
  since(mark: number): string;
  /** Waits until the condition holds. Rejects with the screen if the program ended first or it takes too long. */
  until(condition: TerminalCondition): Promise<void>;
  /** Signals the program alone, as a supervisor would. */
  kill(signal?: NodeJS.Signals): void;
  /** Closes the window, as its user would. */
  closeWindow(): void;
}

/** Below the limit of a test (scripts/bun.mjs), so that the failure shows the screen. */
const HANGS_AFTER_MS = 240_000;
/** Of the line mode; the same bit in all systems. */
const ECHO = 8;
const COLUMNS = 120;
const ROWS = 40;

interface Waiter {
  readonly holds: () => boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  readonly what: string;
}

/** Starts a program in a terminal of 120×40. Dispose of it: that ends everything the program started in it. */
export function startTerminal(options: TestTerminalOptions = {}): TestTerminal {
  const { columns = COLUMNS, rows = ROWS, scrollback = 1_000_000 } = options;
  const home = options.home ?? temporaryHome();
  const command = [...(options.command ?? programCommand({ home })), ...(options.args ?? [])];
  const emulator = makeEmulator({ ...options, columns, rows, scrollback });
  const pieces: string[] = [];
  let written = 0;
  let waiters: Waiter[] = [];
  let ended: TerminalExit | undefined;
  let ptyClosed = false;

  const check = () => {
    for (const waiter of waiters.filter(({ holds }) => holds())) {
      waiters = waiters.filter((other) => other !== waiter);
      waiter.resolve();
    }
  };
  const decoder = new TextDecoder();
  const child = Bun.spawn([...command], {
    cwd: options.cwd ?? home.project,
    env: environmentFor(home, options),
    terminal: {
      cols: columns,
      rows,
      data(_, chunk) {
        const text = decoder.decode(chunk, { stream: true });
        pieces.push(text);
        written += text.length;
        emulator.write(text, check);
      },
      exit: () => void (ptyClosed = true),
    },
  });
  const pty = child.terminal!;
  const send = (text: string) => {
    if (!pty.closed) pty.write(text);
  };
  emulator.onReply(send);
  // The program leads a session of its own, so its group is what it started and did not detach.
  const group = ownGroup(child.pid);
  const endWithUs = () => group.end();
  process.once("exit", endWithUs);

  const failure = (what: string) => new Error([`${what}: ${command.join(" ")}`, ...boxed(emulator)].join("\n"));
  const exited = (async (): Promise<TerminalExit> => {
    await child.exited;
    group.leaderEnded();
    for (let seen = -1; !ptyClosed && seen !== written;) {
      seen = written;
      await turns(5);
    }
    await new Promise<void>((resolve) => emulator.write("", resolve));
    const how: TerminalExit = {
      code: child.signalCode === null ? child.exitCode : null,
      signal: child.signalCode === null ? null : String(child.signalCode),
    };
    ended = how;
    check();
    for (const { reject, what } of waiters) reject(failure(`Program ended (${how.signal ?? how.code}) before ${what}`));
    waiters = [];
    return how;
  })();

  const terminal: TestTerminal = {
    pid: child.pid,
    home,
    get columns() {
      return emulator.columns;
    },
    get rows() {
      return emulator.rows;
    },
    get title() {
      return emulator.title;
    },
    get cursorVisible() {
      return emulator.cursorVisible;
    },
    get modes() {
      return emulator.modes;
    },
    get echoes() {
      return (pty.localFlags & ECHO) !== 0;
    },
    get bytes() {
      if (pieces.length > 1) pieces.splice(0, pieces.length, pieces.join(""));
      return pieces[0] ?? "";
    },
    exited,
    type: send,
    press: (...keys) => keys.forEach((key) => send(keyBytes(key))),
    paste(text) {
      const sent = text.replace(/\r?\n/g, "\r");
      send(emulator.modes.bracketedPaste ? `\x1b[200~${sent}\x1b[201~` : sent);
    },
    resize(newColumns, newRows) {
      emulator.resize(newColumns, newRows);
      if (!pty.closed) pty.resize(newColumns, newRows);
    },
    screen: emulator.screen,
    scrollback: emulator.scrollback,
    cursor: emulator.cursor,
    mark: () => written,
    since(mark) {
      return this.bytes.slice(mark);
    },
    until(condition) {
      const holds = asPredicate(condition, terminal);
      if (holds()) return Promise.resolve();
      const what = `the screen had ${typeof condition === "function" ? "what was waited for" : JSON.stringify(String(condition))}`;
      if (ended) return Promise.reject(failure(`Program ended (${ended.signal ?? ended.code}) before ${what}`));
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const timer = setTimeout(() => reject(failure(`${HANGS_AFTER_MS} ms passed before ${what}`)), HANGS_AFTER_MS);
      const waiter = { holds, resolve, reject, what };
      waiters.push(waiter);
      return promise.finally(() => {
        clearTimeout(timer);
        waiters = waiters.filter((other) => other !== waiter);
      });
    },
    kill: (signal = "SIGTERM") => child.kill(signal),
    closeWindow: () => pty.close(),
    async [Symbol.asyncDispose]() {
      group.end();
      await exited;
      // Everything else in this terminal gets SIGHUP.
      pty.close();
      process.off("exit", endWithUs);
      emulator.dispose();
      if (!options.home) home.remove();
    },
  };
  return terminal;
}

function environmentFor(home: TemporaryHome, { env, url }: TestTerminalOptions): Record<string, string> {
  const model = url === undefined ? {} : { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "test-key" };
  const all: Record<string, string | undefined> = { ...home.env, TERM: "xterm-256color", ...model, ...env };
  return Object.fromEntries(Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined));
}

function asPredicate(condition: TerminalCondition, terminal: TestTerminal): () => boolean {
  if (typeof condition === "function") return () => condition(terminal);
  if (typeof condition === "string") return () => terminal.screen().join("\n").includes(condition);
  return () => terminal.screen().join("\n").search(condition) >= 0;
}

/** The screen in a frame, for a failed test. */
function boxed(terminal: Emulator): string[] {
  const rule = "─".repeat(terminal.columns);
  return [`┌${rule}┐`, ...terminal.screen().map((row) => `│${row}`), `└${rule}┘`];
}

async function turns(count: number): Promise<void> {
  for (let at = 0; at < count; at++) await new Promise((resolve) => setImmediate(resolve));
}

// Runs the program at a terminal of 120×40 and measures it from outside. An emulator answers what the program asks; what
// it shows is looked at when the clock has stopped.

import { readFileSync } from "node:fs";
import { makeEmulator } from "@keelson/testkit/terminal";
import { clock } from "./clock.ts";

export interface PtyRun extends AsyncDisposable {
  readonly started: number;
  /** Bytes written so far. */
  readonly written: number;
  /** A place in what was written, for `until`. */
  mark(): number;
  /** When a chunk with this text came, after the mark if there is one. */
  until(text: string, mark?: number): Promise<number>;
  /** From the key to the first byte. */
  key(text: string): Promise<number>;
  /** No byte for so long. */
  quiet(ms: number): Promise<void>;
  send(text: string): void;
  usage(): { readonly cpuMs: number; readonly memoryMb: number; readonly peakMb: number };
  /** Everything on the screen and above it. */
  rows(): Promise<string[]>;
}

const [COLUMNS, ROWS] = [120, 40] as const;
const LIMIT_MS = 120_000;
/** Of /proc/…/stat, on every Linux. */
const TICK_MS = 10;

export function runAtTerminal(
  command: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): PtyRun {
  const emulator = makeEmulator({ columns: COLUMNS, rows: ROWS, scrollback: 1_000_000 });
  const decoder = new TextDecoder();
  let seen = "";
  let fed = 0;
  let written = 0;
  let lastByte = clock();
  let live = true;
  let listeners: (() => void)[] = [];
  const feed = () =>
    new Promise<void>((resolve) => {
      const text = seen.slice(fed);
      fed = seen.length;
      emulator.write(text, resolve);
    });
  const started = clock();
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...env, TERM: "xterm-256color" },
    terminal: {
      cols: COLUMNS,
      rows: ROWS,
      data(_, chunk) {
        lastByte = clock();
        written += chunk.length;
        seen += decoder.decode(chunk, { stream: true });
        if (live) void feed();
        for (const listener of listeners.splice(0)) listener();
      },
    },
  });
  const pty = child.terminal!;
  emulator.onReply((text) => {
    if (live) pty.write(text);
  });
  const nextByte = () =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`Nothing was written for ${LIMIT_MS} ms`)), LIMIT_MS);
      listeners.push(() => (clearTimeout(timer), resolve()));
    });
  return {
    started,
    get written() {
      return written;
    },
    mark: () => seen.length,
    async until(text, mark = 0) {
      let from = mark;
      while (!seen.includes(text, from)) {
        from = Math.max(mark, seen.length - text.length);
        await nextByte();
      }
      return lastByte;
    },
    async key(text) {
      const next = nextByte();
      const pressed = clock();
      pty.write(text);
      await next;
      return lastByte - pressed;
    },
    async quiet(ms) {
      while (clock() - lastByte < ms) await Bun.sleep(ms / 4);
    },
    send: (text) => void pty.write(text),
    usage() {
      const stat = readFileSync(`/proc/${child.pid}/stat`, "latin1");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const status = readFileSync(`/proc/${child.pid}/status`, "latin1");
      const megabytes = (name: string) => (Number(new RegExp(`${name}:\\s*(\\d+)`).exec(status)?.[1]) * 1024) / 1e6;
      return {
        cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
        memoryMb: megabytes("VmRSS"),
        peakMb: megabytes("VmHWM"),
      };
    },
    async rows() {
      await feed();
      return emulator.scrollback({ joined: true });
    },
    async [Symbol.asyncDispose]() {
      live = false;
      listeners = [];
      child.kill("SIGKILL");
      await child.exited;
      pty.close();
      emulator.dispose();
    },
  };
}

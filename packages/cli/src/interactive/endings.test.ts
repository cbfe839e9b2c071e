import { expect, test } from "bun:test";
import type { EndSignal, ProcessIO } from "../process/process-io.ts";
import { watchEndings } from "./endings.ts";
import type { TerminalPort } from "./terminal/port.ts";

function world() {
  const happened: string[] = [];
  const listeners = new Map<EndSignal, () => void>();
  let gone = () => {};
  let giveUp = () => {};
  const io = {
    onSignal: (name: EndSignal, listener: () => void) => {
      listeners.set(name, listener);
      return () => void listeners.delete(name);
    },
    wait: (_: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        giveUp = resolve;
        signal.addEventListener("abort", () => resolve());
      }),
    error: (text: string) => void happened.push(text),
    exit: (code: number) => void happened.push(`exit ${code}`),
  } as Pick<ProcessIO, "onSignal" | "wait" | "error" | "exit">;
  const port = {
    onGone: (listener: () => void) => {
      gone = listener;
      return () => (gone = () => {});
    },
    write: (text: string) => void happened.push(text.includes("[?2004l") ? "reset" : text),
    restore: () => void happened.push("restored"),
  } as Pick<TerminalPort, "onGone" | "write" | "restore">;
  const endings = watchEndings(io, port, (error) => `failed: ${(error as Error).message}`);
  endings.signal.addEventListener("abort", () => happened.push("told"));
  return {
    endings,
    happened,
    raise: (name: EndSignal) => listeners.get(name)!(),
    hangUp: () => gone(),
    giveUp: () => giveUp(),
    listeners,
  };
}

test("a signal tells the front end to end; the second one does not wait for it", () => {
  const { endings, happened, raise, listeners } = world();
  raise("SIGTERM");
  expect([happened, endings.code(), endings.failure()]).toEqual([["told"], 143, undefined]);
  raise("SIGINT");
  expect(happened).toEqual(["told", "reset", "restored", "exit 143"]);
  endings.stop();
  expect(listeners.size).toBe(0);
});

test("a front end that does not end is left behind, and the terminal is restored", async () => {
  const { happened, raise, giveUp } = world();
  raise("SIGHUP");
  giveUp();
  await Promise.resolve();
  await Promise.resolve();
  expect(happened).toEqual(["told", "reset", "restored", "exit 129"]);
});

test("a closed window counts as a hangup, once", () => {
  const { endings, happened, hangUp } = world();
  hangUp();
  hangUp();
  expect([happened, endings.code()]).toEqual([["told"], 129]);
  endings.stop();
});

test("what no one caught ends the program like a signal, and is known afterwards", () => {
  const { endings, happened, raise } = world();
  const error = new Error("odd");
  process.emit("uncaughtException", error);
  expect([happened, endings.code(), endings.failure()]).toEqual([["told"], 1, error]);
  // What follows from the first must not end it before everything is saved.
  process.emit("uncaughtException", new Error("odder"));
  expect([happened, endings.failure()]).toEqual([["told"], error]);
  raise("SIGTERM");
  expect(happened).toEqual(["told", "reset", "restored", "failed: odd", "exit 1"]);
  endings.stop();
});

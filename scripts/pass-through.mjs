// Stands in front of another program: same streams, same signals, same end.

import { spawn } from "node:child_process";
import { constants } from "node:os";

/** Runs a program and ends as it ended. */
export function passThrough(executable, args, options = {}) {
  const child = spawn(executable, args, { stdio: "inherit", ...options });
  makeWayWhenOrphaned();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      // Ctrl-C in a terminal reaches the child as well; sent on, it would count as pressed twice.
      if (signal === "SIGINT" && process.stdin.isTTY) return;
      child.kill(signal);
    });
  }
  child.on("error", (error) => {
    console.error(error.message);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    // Only reached where the signal does not end us, as on Windows.
    process.exitCode = 128 + (constants.signals[signal] ?? 0);
  });
}

/**
 * A program whose parent is gone looks whether anybody still reads what it says. With us in between it would never
 * know; and nobody is left who waits for our end.
 */
function makeWayWhenOrphaned() {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.exit(0);
  }, 1_000).unref();
}

/** Our environment without the two variables that make Bun run foreign code, or be plain Bun. */
export function withoutBunSteering() {
  const { BUN_OPTIONS, BUN_BE_BUN, ...rest } = process.env;
  return rest;
}

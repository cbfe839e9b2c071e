// Runs another program as if it were this process: same streams, same signals, same exit code.

import { spawn } from "node:child_process";
import { constants } from "node:os";

/** Runs a program and exits the way it exits. */
export function passThrough(executable, args, options = {}) {
  // Node would open its debugger to every program on this machine, and the program's commands can send this signal.
  process.on("SIGUSR1", () => {});
  const child = spawn(executable, args, { stdio: "inherit", ...options });
  exitWhenOrphaned();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      // In a terminal, Ctrl-C reaches the child directly; forwarding it would look like pressing it twice.
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
    // Only reached if the signal does not end this process, as on Windows.
    process.exitCode = 128 + (constants.signals[signal] ?? 0);
  });
}

/**
 * Exits when the parent is gone. The program checks for a lost parent, too, and could not see it behind this process.
 */
function exitWhenOrphaned() {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.exit(0);
  }, 1_000).unref();
}

/** The environment without the variables that make Bun run other code or act as plain Bun. */
export function withoutBunVariables() {
  const { BUN_OPTIONS, BUN_BE_BUN, ...rest } = process.env;
  return rest;
}

// At a terminal, the program mostly waits. Bun's garbage collector wakes up every second meanwhile, unless a variable
// turns its timer off before Bun itself starts, so the program replaces itself once, with the variable set (5 ms).
// Sessions of scripts end before it would matter.

import type * as Fs from "node:fs";

const TIMER_OFF = "BUN_GC_TIMER_DISABLE";
/** Of the values that Bun reads as yes, the one that people do not write: it says that the program set it. */
const BY_US = "true";

/** Returns if this process is to go on as it is. */
export function startQuietly(args: readonly string[]): void {
  const set = process.env[TIMER_OFF];
  // Not for the programs that this one starts.
  if (set === BY_US) delete process.env[TIMER_OFF];
  if (set !== undefined || !isBuilt() || !isForTerminal(args)) return;
  process.execve?.(process.execPath, [process.argv0, ...args], { ...process.env, [TIMER_OFF]: BY_US });
}

const isBuilt = () => process.platform !== "win32" && Bun.main.startsWith("/$bunfs/");

/** Whether a session at a terminal is likely. A wrong guess costs 5 ms, or those wake-ups. */
function isForTerminal(args: readonly string[]): boolean {
  const [first] = args;
  const isCommand = first !== undefined && !first.startsWith("-") && !first.includes(" ");
  return !isCommand && !args.some((arg) => OTHERWISE.has(arg)) && isDevice(0) && isDevice(1);
}

const OTHERWISE = new Set(["-p", "--print", "-h", "--help"]);

function isDevice(fd: number): boolean {
  // Loaded here: it takes a millisecond, and a client that asks for the version does not need it.
  const { fstatSync } = require("node:fs") as typeof Fs;
  try {
    return fstatSync(fd).isCharacterDevice();
  } catch {
    return false; // closed
  }
}

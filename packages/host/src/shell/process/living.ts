// The process group of a process that lives, from /proc.

import { readFileSync } from "node:fs";

/** Null if the process is gone or a zombie. */
export function livingGroupOf(pid: string): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // "pid (name) state ppid pgrp …"; the name may contain anything, so count from the last parenthesis.
    const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" || state === "X" ? null : Number(group);
  } catch {
    return null;
  }
}

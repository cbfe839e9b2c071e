// Closes our own process to the programs we start: what identifies us to the model is in our memory and in the
// environment we were started with, and any process of the same user could read both under /proc. Linux only; root
// reads them all the same.

import { loadLibc } from "./libc.ts";

const PR_SET_DUMPABLE = 4;

/** Before anything is started that is not ours. It holds for this process alone: a program it starts begins anew. */
export async function protectOwnMemory(): Promise<void> {
  const libc = await loadLibc({ prctl: { args: ["i32", "u64", "u64", "u64", "u64"], returns: "i32" } });
  libc?.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

// Protects our memory and environment, which contain credentials, from the programs we start: otherwise any process of
// the same user could read them under /proc. Linux only; does not stop root.

import { loadLibc } from "./libc.ts";

const PR_SET_DUMPABLE = 4;

/** Call it before starting any other program. Child processes do not inherit it. */
export async function protectOwnMemory(): Promise<void> {
  const libc = await loadLibc({ prctl: { args: ["i32", "u64", "u64", "u64", "u64"], returns: "i32" } });
  libc?.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

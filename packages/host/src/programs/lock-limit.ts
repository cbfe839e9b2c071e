// Marks processes by a limit that they inherit. Unlike a variable, it stays when a program empties its environment, starts
// its own session or lets its parent exit. Since Linux 2.4.25 the kernel has not enforced the limit on file locks, so
// a program does not notice it. Linux only.

import { loadLibc } from "./libc.ts";

const RLIMIT_LOCKS = 10;
const UNLIMITED = 2n ** 64n - 1n;
const LARGEST_PLACE = 100_000;

/**
 * Calls `start` with the limit set, so that the processes it starts have it. We do not keep it. A session inside a command
 * of another one leaves the limit of that one.
 */
export type WithLockLimit = <T>(limit: bigint, start: () => T) => T;

/** Null if the limit cannot be set. */
export async function loadLockLimit(): Promise<WithLockLimit | null> {
  const libc = await loadLibc({
    getrlimit: { args: ["i32", "ptr"], returns: "i32" },
    setrlimit: { args: ["i32", "ptr"], returns: "i32" },
  });
  if (!libc) return null;
  return (limit, start) => {
    const own = new BigUint64Array(2);
    if (libc.getrlimit(RLIMIT_LOCKS, own) !== 0 || own[1] !== UNLIMITED) return start();
    libc.setrlimit(RLIMIT_LOCKS, new BigUint64Array([limit, own[1]!]));
    try {
      return start();
    } finally {
      libc.setrlimit(RLIMIT_LOCKS, own);
    }
  };
}

/** The limit of the `place`th process of those with a token; 0 for one that is not counted. */
export function lockLimitOf(token: string, place: number): bigint {
  return BigInt(lockLimitStart(token)) * BigInt(LARGEST_PLACE) + BigInt(place % LARGEST_PLACE);
}

/** The first 13 digits of the limits of all processes with a token; 5 more follow. */
export function lockLimitStart(token: string): string {
  return String(1_000_000_000_000n + ((Bun.hash(token) as bigint) % 9_000_000_000_000n));
}

/** The limits in the text of `/proc/PID/limits`: the soft one, and the hard one, which a program can only lower. */
export function lockLimitsIn(limits: string): {
  readonly soft?: string | undefined;
  readonly hard?: string | undefined;
} {
  const [, soft, hard] = /^Max file locks +(\d+|unlimited) +(\d+|unlimited) /m.exec(limits) ?? [];
  const known = (limit: string | undefined) => (limit === "unlimited" ? undefined : limit);
  return { soft: known(soft), hard: known(hard) };
}

/** For bash, before a command: it must not lose the mark. */
export const KEEP_LOCK_LIMIT = "ulimit -Hx soft 2>/dev/null";

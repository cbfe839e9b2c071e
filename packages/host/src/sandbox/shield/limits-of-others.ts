// A filter for system calls (seccomp): `prlimit` of another process is refused. Everything else is allowed, also to look at the
// limits of others and to lower one's own.

interface Kinds {
  /** As the kernel calls it: 64 bits, and 32 bits on the same processor. */
  readonly native: number;
  readonly compat: number;
  /** The number of the call in each. */
  readonly prlimit: readonly [native: number, compat: number];
}

const KINDS: Readonly<Record<string, Kinds>> = {
  x64: { native: 0xc000003e, compat: 0x40000003, prlimit: [302, 340] },
  arm64: { native: 0xc00000b7, compat: 0x40000028, prlimit: [261, 369] },
};

const [LOAD, AND, IF_EQUAL, RETURN] = [0x20, 0x54, 0x15, 0x06];
const ALLOW = 0x7fff0000;
const REFUSE = 0x00050001; // EPERM
/** Where the kernel tells a filter about a call. */
const [NUMBER, ARCH, PID, LIMIT_LOW, LIMIT_HIGH] = [0, 4, 16, 32, 36];
/** Programs for x32 set this bit of the number. */
const WITHOUT_X32 = 0xbfffffff;

/** Its instructions, as numbers of 64 bits. Null for a processor that it is not written for. */
export function limitsOfOthersFilter(arch: string): readonly bigint[] | null {
  const kinds = KINDS[arch];
  if (!kinds) return null;
  const { native, compat, prlimit } = kinds;
  return [
    step(LOAD, ARCH),
    step(IF_EQUAL, native, 0, 3),
    step(LOAD, NUMBER),
    step(AND, WITHOUT_X32),
    step(IF_EQUAL, prlimit[0], 3, 10),
    step(IF_EQUAL, compat, 0, 9),
    step(LOAD, NUMBER),
    step(IF_EQUAL, prlimit[1], 0, 7),
    step(LOAD, PID),
    step(IF_EQUAL, 0, 5, 0), // its own
    step(LOAD, LIMIT_LOW),
    step(IF_EQUAL, 0, 0, 2),
    step(LOAD, LIMIT_HIGH),
    step(IF_EQUAL, 0, 1, 0), // no new one
    step(RETURN, REFUSE),
    step(RETURN, ALLOW),
  ];
}

/** `then` and `otherwise`: how many instructions are left out. */
const step = (code: number, value: number, then = 0, otherwise = 0) =>
  BigInt(code) | (BigInt(then) << 16n) | (BigInt(otherwise) << 24n) | (BigInt(value) << 32n);

// flock of the C library, which neither Bun nor Node offers.

export type Flock = (fd: number) => boolean;

const EXCLUSIVE = 2;
const NON_BLOCKING = 4;

let loaded: Promise<Flock | null> | undefined;

/** Locks an open file, or returns false if another has it. Null on systems without flock. */
export function loadFlock(): Promise<Flock | null> {
  return (loaded ??= load());
}

async function load(): Promise<Flock | null> {
  // About 1 ms, only when something needs it.
  const { dlopen } = await import("bun:ffi");
  for (const name of namesOf(process.platform)) {
    try {
      const { symbols } = dlopen(name, { flock: { args: ["i32", "i32"], returns: "i32" } });
      return (fd) => symbols.flock(fd, EXCLUSIVE | NON_BLOCKING) === 0;
    } catch {
      continue;
    }
  }
  return null;
}

function namesOf(platform: NodeJS.Platform): readonly string[] {
  if (platform === "darwin") return ["libSystem.B.dylib"];
  if (platform !== "linux") return [];
  return ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`];
}

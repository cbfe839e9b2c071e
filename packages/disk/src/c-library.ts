// The C library, for the few things that neither Bun nor Node offers.

/** Its names on this system, to try one after the other. None on systems for which we use nothing of it. */
export function cLibraryNames(): readonly string[] {
  if (process.platform === "darwin") return ["libSystem.B.dylib"];
  if (process.platform !== "linux") return [];
  return ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`];
}

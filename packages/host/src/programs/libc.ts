// The C library, for calls that neither Bun nor Node offers. Linux only.

import type { FFIFunction, Library } from "bun:ffi";

/** Null if there is no glibc or musl. */
export async function loadLibc<const Functions extends Readonly<Record<string, FFIFunction>>>(
  functions: Functions,
): Promise<Library<Functions>["symbols"] | null> {
  if (process.platform !== "linux") return null;
  // About 1 ms, only when something needs it.
  const { dlopen } = await import("bun:ffi");
  for (const name of ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`]) {
    try {
      return dlopen(name, functions).symbols;
    } catch {
      continue;
    }
  }
  return null;
}

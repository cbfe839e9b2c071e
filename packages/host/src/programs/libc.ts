// The C library, for the few calls that neither Bun nor Node offers. Linux only.

import type { FFIFunction, Library } from "bun:ffi";

/** Null where there is none of the kind we know. About 1 ms the first time, so never before something needs it. */
export async function loadLibc<const Functions extends Readonly<Record<string, FFIFunction>>>(
  functions: Functions,
): Promise<Library<Functions>["symbols"] | null> {
  if (process.platform !== "linux") return null;
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

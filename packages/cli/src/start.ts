// Runs `main` in this process and exits with its exit code.

import { main } from "./main.ts";
import type { SessionsHere } from "./open.ts";
import { printError, type ProcessIO } from "./process/process-io.ts";
import { thisProcess, thisProgram } from "./process/this-process.ts";
import { shippedPrograms } from "./shipped-programs.ts";

const LONG_RUN_MS = 5_000;

export async function startProgram(): Promise<never> {
  const runtime = () => import("@keelson/runtime");
  let directory: Promise<SessionsHere> | undefined;
  const open: ProcessIO["sessions"] = async () =>
    new (await runtime()).SessionDirectory({ programs: shippedPrograms, program: thisProgram() });
  const io = thisProcess(
    () => (directory ??= open()),
    () => Promise.all([runtime(), import("@keelson/config"), import("@keelson/stdio/stream-json")]),
  );
  // Whatever still runs by then runs for long: its code is compiled as usual (runtime/model/compile-policy.ts).
  setTimeout(() => Bun.unsafe.setJITPolicy(1), LONG_RUN_MS).unref();
  try {
    process.exit(await main(process.argv.slice(2), io));
  } catch (error) {
    const debug = process.argv.includes("--debug") || process.argv.includes("-d");
    process.exit(printError(io, error instanceof Error ? (debug && error.stack) || error.message : String(error)));
  }
}

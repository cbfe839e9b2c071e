// Starts the program in this process and ends it with the exit code of `main`.

import { main } from "./main.ts";
import { thisProcess } from "./this-process.ts";
import { shippedPrograms } from "./shipped-programs.ts";

/** Never returns: the process ends with it. */
export async function startProgram(): Promise<never> {
  const runtime = () => import("@keelson/runtime");
  const io = thisProcess(
    async (options) => (await runtime()).openSession({ ...options, programs: shippedPrograms }),
    () => Promise.all([runtime(), import("@keelson/config"), import("@keelson/stdio")]),
  );
  try {
    process.exit(await main(process.argv.slice(2), io));
  } catch (error) {
    const debug = process.argv.includes("--debug") || process.argv.includes("-d");
    io.error(`Error: ${error instanceof Error ? (debug && error.stack) || error.message : String(error)}`);
    process.exit(1);
  }
}

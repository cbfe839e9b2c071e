// The entry point of the executable. It prints the version before loading anything else, because clients ask for it
// before every session.

import { COMPATIBLE_VERSION, VERSION } from "@keelson/protocol/version";
import { startQuietly } from "./quiet-start.ts";

const args = process.argv.slice(2);
const [first] = args;
const isVersion = first === "--version" || first === "-v";
// If it cannot be written, the program says why.
if (!isVersion || !(await wrote(`${COMPATIBLE_VERSION} (Keelson ${VERSION})\n`))) {
  startQuietly(args);
  const { startProgram } = await import("./start.ts");
  await startProgram();
}

async function wrote(text: string): Promise<boolean> {
  try {
    await Bun.write(Bun.stdout, text);
    return true;
  } catch {
    return false;
  }
}

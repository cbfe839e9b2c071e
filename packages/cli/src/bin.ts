// The entry point of the executable. It prints the version before loading anything else, because clients ask for it
// before every session.

import { COMPATIBLE_VERSION, VERSION } from "@keelson/protocol/version";
import { startQuietly } from "./quiet-start.ts";

const args = process.argv.slice(2);
const [first] = args;
if (first === "--version" || first === "-v") {
  await Bun.write(Bun.stdout, `${COMPATIBLE_VERSION} (Keelson ${VERSION})\n`);
} else {
  startQuietly(args);
  const { startProgram } = await import("./start.ts");
  await startProgram();
}

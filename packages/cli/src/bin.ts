// The entry point of the executable. It prints the version before loading anything else, because clients ask for it
// before every session.

import { COMPATIBLE_VERSION, VERSION } from "@keelson/protocol/version";

const [first] = process.argv.slice(2);
if (first === "--version" || first === "-v") {
  await Bun.write(Bun.stdout, `${COMPATIBLE_VERSION} (Keelson ${VERSION})\n`);
} else {
  const { startProgram } = await import("./start.ts");
  await startProgram();
}

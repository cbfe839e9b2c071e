// The executable: the real world, handed to `main`. The version is answered before anything else is loaded:
// clients probe it before every session.

import { COMPATIBLE_VERSION, VERSION } from "@keelson/protocol/version";

const [first] = process.argv.slice(2);
if (first === "--version" || first === "-v") {
  await Bun.write(Bun.stdout, `${COMPATIBLE_VERSION} (Keelson ${VERSION})\n`);
} else {
  const { startProgram } = await import("./start.ts");
  await startProgram();
}

// Compiles the floor program with the same flags as Keelson, once per run.

import { join } from "node:path";

export async function buildFloor(folder: string): Promise<string> {
  const outfile = join(folder, process.platform === "win32" ? "floor.exe" : "floor");
  await Bun.build({
    entrypoints: [join(import.meta.dir, "floor-main.ts")],
    target: "bun",
    format: "esm",
    minify: true,
    bytecode: true,
    compile: { outfile, autoloadBunfig: false, autoloadDotenv: false },
  });
  return outfile;
}

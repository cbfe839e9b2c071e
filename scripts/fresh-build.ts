// Builds dist/keelson, unless it is up to date with the sources.

import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { orderFiles, recordOrder } from "./bytecode-order.ts";
import { compile } from "./compile.ts";
import { programEntry } from "./groups.ts";
import { currentPlatform } from "./platform.ts";
import { root } from "./root.ts";

export const programPath = join(root, "dist", process.platform === "win32" ? "keelson.exe" : "keelson");
const stampPath = `${programPath}.sources`;

/** In which order the functions of the last build were used. */
export const orderFolder = join(root, "dist", "order");

/** Returns the path of an up-to-date executable. */
export async function freshBuild(): Promise<string> {
  const sources = await hashSources();
  if ((await Bun.file(programPath).exists()) && (await readStamp()) === sources) return programPath;
  // Rename it into place: tests running at the same time may use the old one.
  const outfile = `${programPath}.${process.pid}${process.platform === "win32" ? ".exe" : ""}`;
  const build = { entry: programEntry, outfile, platform: currentPlatform() };
  await compile(build);
  await mkdir(orderFolder, { recursive: true });
  await recordOrder(outfile, orderFolder);
  await compile({ ...build, order: orderFiles(orderFolder) });
  await rename(outfile, programPath);
  await Bun.write(stampPath, sources);
  return programPath;
}

async function readStamp(): Promise<string> {
  return (await Bun.file(stampPath).exists()) ? Bun.file(stampPath).text() : "";
}

/** Hashes everything that goes into the executable. */
async function hashSources(): Promise<string> {
  const patterns = ["packages/*/{src,app}/**/*", "packages/*/package.json", "scripts/*.ts", "package-lock.json"];
  const paths = patterns
    .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: root })])
    .filter((path) => !path.endsWith(".test.ts"))
    .sort();
  const hasher = new Bun.CryptoHasher("sha256").update(Bun.version);
  for (const path of paths) {
    const bytes = await Bun.file(join(root, path)).bytes();
    hasher.update(`\0${path}\0${bytes.length}\0`).update(bytes);
  }
  return hasher.digest("hex");
}

// `npm run build`: builds dist/keelson for this machine, the npm packages in dist/npm, @keelson/sdk in dist/sdk and the entry for
// the registry of editors in dist/editors.
// `--all` also builds the other platforms.

import { stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { orderFiles } from "./bytecode-order.ts";
import { compile } from "./compile.ts";
import { freshBuild, orderFolder } from "./fresh-build.ts";
import { programEntry } from "./groups.ts";
import { writeEditorEntry } from "./npm/editor-entry.ts";
import { writePlatformPackage, writeThinPackage } from "./npm/npm-packages.ts";
import { currentPlatform, isCurrent, platforms, type Platform } from "./platform.ts";
import { root } from "./root.ts";
import { writeSdkPackage } from "./npm/sdk-package.ts";

const { values } = parseArgs({ options: { all: { type: "boolean", default: false } } });
const { version } = await Bun.file(join(root, "package.json")).json();

const packages = join(root, "dist", "npm");

const program = await freshBuild();
report(program, (await stat(program)).size);
report(await writeThinPackage(packages, version));
report(await writeSdkPackage(join(root, "dist", "sdk"), version));
report(await writeEditorEntry(join(root, "dist", "editors"), version));

for (const platform of values.all ? platforms : [currentPlatform()]) {
  const executable = isCurrent(platform) ? program : await crossCompile(platform);
  report(await writePlatformPackage(packages, version, platform, executable));
}

async function crossCompile(platform: Platform): Promise<string> {
  const suffix = platform.os === "win32" ? ".exe" : "";
  const outfile = join(root, "dist", `keelson-${platform.os}-${platform.cpu}${suffix}`);
  await compile({ entry: programEntry, outfile, platform, order: orderFiles(orderFolder) });
  return outfile;
}

function report(path: string, size?: number): void {
  console.log(relative(root, path) + (size === undefined ? "" : `  ${(size / 1e6).toFixed(1)} MB`));
}

// Writes the npm packages: a thin one with a launcher, and one per platform with the executable. There is no install
// script; npm picks the platform package by its `os` and `cpu` fields.

import { chmod, copyFile, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { platforms, type Platform } from "../platform.ts";
import { root } from "../root.ts";

export async function writeThinPackage(folder: string, version: string): Promise<string> {
  const target = await emptyFolder(join(folder, "keelson"));
  for (const file of ["npm-launcher.mjs", "pass-through.mjs"]) {
    await copyFile(join(root, "scripts", file), join(target, "bin", file));
  }
  await chmod(join(target, "bin", "npm-launcher.mjs"), 0o755);
  await writeJson(join(target, "package.json"), {
    ...common("keelson", version),
    description: "An open agent runtime for the terminal",
    type: "module",
    bin: { keelson: "bin/npm-launcher.mjs" },
    files: ["bin"],
    engines: { node: ">=20" },
    optionalDependencies: Object.fromEntries(platforms.map((platform) => [packageName(platform), version])),
  });
  await copyTexts(target);
  return target;
}

export async function writePlatformPackage(
  folder: string,
  version: string,
  platform: Platform,
  executable: string,
): Promise<string> {
  const name = packageName(platform);
  const target = await emptyFolder(join(folder, name));
  const file = join(target, "bin", platform.os === "win32" ? "keelson.exe" : "keelson");
  await copyFile(executable, file);
  await chmod(file, 0o755);
  await writeJson(join(target, "package.json"), {
    ...common(name, version),
    description: `Keelson for ${platform.os} on ${platform.cpu}`,
    os: [platform.os],
    cpu: [platform.cpu],
    ...(platform.os === "linux" ? { libc: ["glibc"] } : {}),
    files: ["bin"],
    preferUnplugged: true,
  });
  await copyTexts(target);
  return target;
}

function packageName({ os, cpu }: Platform): string {
  return `keelson-${os}-${cpu}`;
}

function common(name: string, version: string) {
  return { name, version, license: "MIT" };
}

async function emptyFolder(target: string): Promise<string> {
  await rm(target, { recursive: true, force: true });
  await mkdir(join(target, "bin"), { recursive: true });
  return target;
}

async function writeJson(path: string, value: object): Promise<void> {
  await Bun.write(path, `${JSON.stringify(value, null, 2)}\n`);
}

async function copyTexts(target: string): Promise<void> {
  for (const name of ["README.md", "LICENSE"]) await copyFile(join(root, name), join(target, name));
}

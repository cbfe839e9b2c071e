// The platforms Keelson is built for, and the executables each needs from npm. Those of other platforms are fetched with
// `npm pack` and must match the checksum in package-lock.json.

import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./root.ts";

export interface Platform {
  readonly os: "linux" | "darwin" | "win32";
  readonly cpu: "x64" | "arm64";
  readonly target: Bun.Build.CompileTarget;
}

export const platforms: readonly Platform[] = [
  { os: "linux", cpu: "x64", target: "bun-linux-x64" },
  { os: "linux", cpu: "arm64", target: "bun-linux-arm64" },
  { os: "darwin", cpu: "x64", target: "bun-darwin-x64" },
  { os: "darwin", cpu: "arm64", target: "bun-darwin-arm64" },
  { os: "win32", cpu: "x64", target: "bun-windows-x64" },
];

export function currentPlatform(): Platform {
  const found = platforms.find(isCurrent);
  if (found) return found;
  throw new Error(`No build is defined for "${process.platform}-${process.arch}"; add it to scripts/platform.ts`);
}

export function isCurrent({ os, cpu }: Platform): boolean {
  return os === process.platform && cpu === process.arch;
}

/** The programs to embed. */
export async function programsFor({ os, cpu }: Platform): Promise<{ ripgrep: string; seccomp?: string }> {
  const ripgrep = await fromPackage(`@vscode/ripgrep-${os}-${cpu}`, join("bin", os === "win32" ? "rg.exe" : "rg"));
  if (os !== "linux") return { ripgrep };
  const helper = join("vendor", "seccomp", cpu, "apply-seccomp");
  return { ripgrep, seccomp: await fromPackage("@anthropic-ai/sandbox-runtime", helper) };
}

/** The Bun executable to compile into. */
export async function bunFor({ os, cpu }: Platform): Promise<string> {
  const name = `@oven/bun-${os === "win32" ? "windows" : os}-${cpu === "arm64" ? "aarch64" : cpu}`;
  return fromPackage(name, join("bin", os === "win32" ? "bun.exe" : "bun"));
}

async function fromPackage(name: string, file: string): Promise<string> {
  const installed = join(root, "node_modules", name, file);
  if (await Bun.file(installed).exists()) return installed;
  return join(await fetchPackage(name), file);
}

async function fetchPackage(name: string): Promise<string> {
  const lock = await Bun.file(join(root, "package-lock.json")).json();
  const locked = lock.packages[`node_modules/${name}`];
  if (!locked?.integrity) throw new Error(`"${name}" has no checksum in package-lock.json`);

  const folder = join(root, "dist", ".packages", `${name.replace("/", "+")}@${locked.version}`);
  const unpacked = join(folder, "package");
  if (await Bun.file(join(unpacked, "package.json")).exists()) return unpacked;

  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await run(["npm", "pack", "--silent", `${name}@${locked.version}`], folder);
  const archive = (await readdir(folder)).find((entry) => entry.endsWith(".tgz"));
  if (!archive) throw new Error(`npm pack wrote no archive for "${name}"`);
  const bytes = await Bun.file(join(folder, archive)).bytes();
  const sum = `sha512-${new Bun.CryptoHasher("sha512").update(bytes).digest("base64")}`;
  if (sum !== locked.integrity) throw new Error(`The archive of "${name}" does not match package-lock.json`);
  await run(["tar", "-xzf", archive], folder);
  return unpacked;
}

async function run(command: string[], cwd: string): Promise<void> {
  const child = Bun.spawn(command, { cwd, stdout: "ignore", stderr: "inherit" });
  if ((await child.exited) !== 0) throw new Error(`"${command.join(" ")}" failed with exit code ${child.exitCode}`);
}

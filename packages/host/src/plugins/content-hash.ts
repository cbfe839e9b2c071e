// One digest for all files of a plugin: their names, whether they are programs, and their content.

import type { PluginFile } from "./plugin-files.ts";

export function contentHash(files: readonly PluginFile[]): string {
  const hasher = new Bun.CryptoHasher("sha256");
  for (const { path, executable, bytes } of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    hasher.update(JSON.stringify([path, executable, fileHash(bytes())]));
  }
  return `sha256:${hasher.digest("hex")}`;
}

export const fileHash = (bytes: Uint8Array) => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");

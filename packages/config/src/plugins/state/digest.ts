// Digests of the files of a plugin, to notice that they changed after it was installed.

import { isAbsolute, relative } from "node:path";
import { readWholeFile } from "../../scopes/read.ts";
import type { Source } from "../../sources.ts";

/** Of the files that say what the plugin may run: those that reading its folder reads. Cheap enough for every start. */
export function activeDigest(root: string, sources: readonly Source[]): string {
  const hasher = new Bun.CryptoHasher("sha256");
  const paths = [...new Set(sources.map(({ path }) => path))];
  for (const path of paths.toSorted()) {
    const text = readWholeFile(path);
    const name = isAbsolute(path) ? relative(root, path) : path;
    hasher.update(JSON.stringify([name, typeof text === "string" ? text : null]));
  }
  return `sha256:${hasher.digest("hex")}`;
}

// A digest of the files of a plugin that decide what runs, to notice that they changed after it was installed: those that
// reading its folder reads, the scripts that its hooks and servers name, and its programs. Cheap enough for every start.

import { readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { readWholeFile } from "../../scopes/read.ts";
import type { Source } from "../../load/sources.ts";
import type { PluginFolder } from "../read/folder.ts";
import { insidePath } from "../read/inside.ts";

/** Beyond these, a file counts by its size: `keelson plugin details` compares everything. */
const MOST_SCRIPTS = 100;
const MAX_BYTES = 256 * 1024;

export function activeDigest(plugin: PluginFolder, sources: readonly Source[]): string {
  const { root } = plugin;
  const hasher = new Bun.CryptoHasher("sha256");
  const paths = new Set([...sources.map(({ path }) => path), ...scriptsOf(plugin).slice(0, MOST_SCRIPTS)]);
  for (const path of [...paths].toSorted()) {
    const text = readWholeFile(path, MAX_BYTES);
    hasher.update(JSON.stringify([relative(root, path), typeof text === "string" ? text : sizeOf(path)]));
  }
  return `sha256:${hasher.digest("hex")}`;
}

function scriptsOf({ root, hooks, servers, lspServers, layout: { bin } }: PluginFolder): readonly string[] {
  const text = JSON.stringify([hooks.map(({ handler }) => handler), servers.map(({ raw }) => raw), lspServers]);
  const named = text.matchAll(/\$\{?CLAUDE_PLUGIN_ROOT\}?(?:\\")?\/([\w./-]+)/g);
  const files = Array.from(named, ([, path]) => insidePath(root, `./${path}`)).flatMap((at) =>
    "path" in at && at.kind === "file" ? [at.path] : [],
  );
  const programs =
    bin === undefined
      ? []
      : readdirSync(bin)
          .toSorted()
          .map((name) => join(bin, name));
  return [...files, ...programs];
}

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? null;

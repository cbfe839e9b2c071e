// The user's themes: JSON files in the folder "themes" of the configuration, and those of plugins.

import { lstatSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { Snapshot } from "@keelson/config";
import { readUserFile } from "@keelson/disk/own-files";
import type { Plugin } from "@keelson/protocol";

const ENDING = ".json";

type ThemeSettings = Pick<Snapshot, "configDir"> & {
  readonly plugins: { readonly active: readonly Pick<Plugin, "name" | "themes">[] };
};

/** Of a theme of a plugin; a real one has a few hundred bytes. */
const MAX_BYTES = 256 * 1024;

/**
 * The texts by file name without the ending; those of plugins as `plugin:name`. Files that cannot be read are left out, and
 * so are links in plugins: they could lead anywhere.
 */
export function readThemeFiles({ configDir, plugins }: ThemeSettings): Readonly<Record<string, string>> {
  const own = themesIn(join(configDir, "themes")).map((path) => [nameOf(path), path] as const);
  const others = plugins.active.flatMap(({ name, themes }) =>
    themes
      .flatMap((path) => (path.endsWith(ENDING) ? [path] : themesIn(path)))
      .filter(isPlainFile)
      .map((path) => [`${name}:${nameOf(path)}`, path] as const),
  );
  return Object.fromEntries(
    [...own, ...others].flatMap(([name, path]) => {
      const text = textOf(path);
      return text === undefined ? [] : [[name, text]];
    }),
  );
}

const themesIn = (folder: string) =>
  filesIn(folder)
    .filter((file) => file.endsWith(ENDING))
    .map((file) => join(folder, file));

const nameOf = (path: string) => basename(path, ENDING);

function isPlainFile(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size <= MAX_BYTES;
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}

const MOST_BYTES = 4 * 1024 * 1024;

function textOf(path: string): string | undefined {
  return readUserFile(path, MOST_BYTES)?.toString();
}

// The files in a folder. A link to a file inside the folder counts as a copy; one that leads out is left out.

import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import { createBudget, isSkipped, LIMITS, PluginFetchError, type PluginFile } from "./plugin-files.ts";

export function readFolder(folder: string): readonly PluginFile[] {
  const root = realpathSync(folder);
  const budget = createBudget();
  const files: PluginFile[] = [];
  const visit = (relative: string, depth: number) => {
    if (depth > LIMITS.depth) throw new PluginFetchError(`It has too many nested folders, in "${relative}"`);
    for (const name of readdirSync(join(root, relative)).toSorted()) {
      const path = relative === "" ? name : `${relative}/${name}`;
      if (isSkipped([name])) continue;
      const stat = lstatSync(join(root, path));
      if (stat.isDirectory()) visit(path, depth + 1);
      const real = stat.isSymbolicLink() ? linkedFile(root, path) : stat.isFile() ? join(root, path) : undefined;
      if (real === undefined) continue;
      const { size, mode } = lstatSync(real);
      budget.spend(size);
      files.push({ path, executable: (mode & 0o111) !== 0, bytes: () => readRegular(real) });
    }
  };
  visit("", 0);
  return files;
}

function linkedFile(root: string, path: string): string | undefined {
  try {
    const real = realpathSync(join(root, path));
    return real.startsWith(root + sep) && lstatSync(real).isFile() ? real : undefined;
  } catch {
    return undefined;
  }
}

function readRegular(file: string): Uint8Array {
  const fd = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
  try {
    const { size } = fstatSync(fd);
    if (!fstatSync(fd).isFile() || size > LIMITS.fileBytes) {
      throw new PluginFetchError(`"${file}" changed while it was read; try again`);
    }
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

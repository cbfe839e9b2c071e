// The copy of the world that commands may change: made, compared with how it was, put back.

import { chmodSync, cpSync, existsSync, lstatSync, readdirSync, readlinkSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import type { Trace } from "./trace.ts";
import { DENIED } from "./world.ts";

/** A fresh copy of the world. */
export function restore(base: string): void {
  const root = join(base, "world");
  for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true, force: true });
  for (const name of readdirSync(join(base, "template"))) copyIn(base, name);
  age(root);
}

/** Puts back what one command changed. */
export function repair(base: string, changed: readonly string[]): void {
  if (changed.includes(".") || changed.length > 40) return restore(base);
  for (const name of changed) {
    const [given, here] = [statOf(join(base, "template", name)), statOf(join(base, "world", name))];
    // The mode of a folder, and what is missing in it; what else changed in it is in the list by its own name.
    if (given?.isDirectory() && here?.isDirectory()) chmodSync(join(base, "world", name), given.mode);
    else {
      rmSync(join(base, "world", name), { recursive: true, force: true });
      if (given) copyIn(base, name);
    }
  }
  age(join(base, "world"));
}

const statOf = (path: string) => lstatSync(path, { throwIfNoEntry: false });

function copyIn(base: string, name: string): void {
  cpSync(join(base, "template", name), join(base, "world", name), { recursive: true, verbatimSymlinks: true });
}

/** What lies outside, and the denied file, seem unopened since 2001, so that the first look at one shows. */
function age(root: string): void {
  const then = 1_000_000_000;
  for (const folder of ["home", "outside"])
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
      if (entry.isFile()) utimesSync(join(entry.parentPath, entry.name), then, then);
  utimesSync(join(root, DENIED), then, then);
}

/** What git touches whenever it looks. */
const GIT_OWN = /(^|\/)(\.git|bare)(\/index)?$/;

export type Manifest = Map<
  string,
  { readonly state: string; readonly opened: bigint | undefined; readonly folder: boolean }
>;

export function manifest(root: string): Manifest {
  const found: Manifest = new Map();
  const walk = (path: string, name: string) => {
    const stat = lstatSync(path, { bigint: true });
    const link = stat.isSymbolicLink() ? readlinkSync(path) : "";
    const own = GIT_OWN.test(name);
    const watched = name === DENIED || /^(home|outside)\//.test(name);
    const looked = watched && stat.isFile() && !name.endsWith(".gitconfig");
    found.set(name, {
      state: own ? `${stat.mode}` : `${stat.mode} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs} ${link}`,
      opened: looked ? stat.atimeNs : undefined,
      folder: stat.isDirectory(),
    });
    if (stat.isDirectory())
      for (const each of readdirSync(path)) walk(join(path, each), name === "" ? each : `${name}/${each}`);
  };
  if (existsSync(root)) walk(root, "");
  return found;
}

export function differences(before: Manifest, after: Manifest): Pick<Trace, "changed" | "folders" | "opened"> {
  const changed: string[] = [];
  const folders: string[] = [];
  const opened: string[] = [];
  for (const [name, now] of after) {
    const old = before.get(name);
    if (old?.state !== now.state) changed.push(name || ".");
    else if (old.opened !== now.opened) opened.push(name);
    if (old === undefined && now.folder) folders.push(name);
  }
  for (const [name, old] of before) {
    if (after.has(name)) continue;
    changed.push(name || ".");
    if (old.folder) folders.push(name);
  }
  return { changed, folders, opened };
}

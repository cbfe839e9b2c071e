// The other names of a path if its file system is mounted in several places: a mount over one name does not cover the rest.

import { closeSync, openSync, readSync } from "node:fs";
import { sep } from "node:path";
import { inodeKey, statThroughLinks } from "../guarded/stat.ts";

interface Mount {
  readonly device: string;
  /** The folder of the file system that is mounted. */
  readonly root: string;
  readonly at: string;
}

/** Gives back the paths and their other names. Linux only; elsewhere there are none. */
type AllNames = (paths: readonly string[]) => readonly string[];

/** Reads the mounts as they are now, and looks through them again if they changed. */
export function createOtherNames(read = readMounts): () => AllNames {
  let known: { readonly mountinfo: string; readonly names: AllNames } | undefined;
  return () => {
    const mountinfo = read();
    if (known?.mountinfo !== mountinfo) known = { mountinfo, names: namesOnOtherMounts(mountinfo) };
    return known.names;
  };
}

export function namesOnOtherMounts(mountinfo = readMounts()): AllNames {
  const byDevice = Map.groupBy(mountsIn(mountinfo), ({ device }) => device);
  const shared = [...byDevice.values()].filter((mounts) => mounts.length > 1).flat();
  if (shared.length === 0) return (paths) => paths;
  const all = [...byDevice.values()].flat();
  return (paths) => paths.flatMap((path) => [path, ...namesOf(path, all, shared)]);
}

function namesOf(path: string, all: readonly Mount[], shared: readonly Mount[]): readonly string[] {
  const own = all.filter(({ at }) => below(path, at) !== null).toSorted((a, b) => b.at.length - a.at.length)[0];
  if (!own) return [];
  const inside = joined(own.root, below(path, own.at)!);
  const others = shared.flatMap(({ device, root, at }) => {
    const rest = device === own.device ? below(inside, root) : null;
    const name = rest === null ? path : joined(at, rest);
    return name === path ? [] : [name];
  });
  const entry = others.length > 0 ? statThroughLinks(path) : null;
  const isSame = (other: string) => {
    const found = statThroughLinks(other);
    return entry !== null && found !== null && inodeKey(found) === inodeKey(entry);
  };
  return [...new Set(others)].filter(isSame);
}

/** What comes after the folder, with a slash; null if the path is elsewhere. */
function below(path: string, folder: string): string | null {
  if (path === folder) return "";
  const start = folder === sep ? "" : folder;
  return path.startsWith(`${start}${sep}`) ? path.slice(start.length) : null;
}

const joined = (folder: string, rest: string) => (folder === sep ? rest || sep : `${folder}${rest}`);

function mountsIn(mountinfo: string): readonly Mount[] {
  return mountinfo.split("\n").flatMap((line) => {
    const [, , device, root, at] = line.split(" ").map(unescaped);
    return at === undefined ? [] : [{ device: device!, root: root!, at }];
  });
}

const unescaped = (text: string) =>
  text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));

/** For each file in /proc, `readFileSync` allocates 256 KB, which takes longer than reading it. */
const ROOM = 16 * 1024;

function readMounts(): string {
  let fd: number | undefined;
  try {
    fd = openSync("/proc/self/mountinfo", "r");
    const parts: Buffer[] = [];
    for (;;) {
      const part = Buffer.allocUnsafe(ROOM);
      const size = readSync(fd, part, 0, ROOM, null);
      if (size === 0) return Buffer.concat(parts).toString("utf8");
      parts.push(part.subarray(0, size));
    }
  } catch {
    return "";
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

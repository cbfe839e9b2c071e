// The shield on macOS: a Seatbelt profile that allows everything except a few paths. Pure.

import { join } from "node:path";
import type { Covers } from "./bubblewrap.ts";
import type { Denied } from "../denied/denied.ts";
import type { Guarded } from "../guarded/guarded.ts";

const PROGRAM = "/usr/bin/sandbox-exec";

/**
 * Seatbelt can protect paths that do not exist and keep folders in place, so nothing is compared afterwards. Git
 * settings are read-only, because later changes by a child could not be reverted.
 */
export function seatbeltArgv(
  guarded: Guarded,
  hidden: Denied,
  terminals: readonly string[],
  argv: readonly string[],
): string[] {
  const { missingFiles, missingFolders, links, gitSettings, closedFolders, keptFolders } = guarded;
  const covers: Covers = {
    hiddenFiles: hidden.files,
    hiddenFolders: hidden.folders,
    // A process that may write there could move a file to where it may read it.
    writeOnly: [],
    readOnly: [...guarded.readOnly, ...gitSettings, ...closedFolders],
    pinned: [...guarded.pinned, ...keptFolders, ...hidden.above, ...closedFolders.map((folder) => join(folder, "_"))],
  };
  const absent = [...missingFiles, ...missingFolders, ...links];
  return [PROGRAM, "-p", seatbeltProfile(covers, absent, terminals), ...argv];
}

/** The last matching rule wins, so hidden paths come last. */
export function seatbeltProfile(covers: Covers, absent: readonly string[], terminals: readonly string[] = []): string {
  const rules = [
    ...terminals.map((path) => `(deny file-write* file-ioctl (literal ${text(path)}))`),
    ...covers.readOnly.map((path) => `(deny file-write* (subpath ${text(path)}))`),
    // Whoever creates a file chooses the case of its name; on most disks of macOS, all cases are the same name.
    ...absent.map((path) => `(deny file-write* (regex ${anyCase(path)}))`),
    // A pinned folder is writable, but cannot be renamed or removed.
    ...covers.pinned.flatMap((path) =>
      covers.readOnly.some((outer) => path.startsWith(`${outer}/`))
        ? [`(allow file-write* (subpath ${text(path)}))`]
        : [`(deny file-write-unlink (literal ${text(path)}))`],
    ),
    ...covers.hiddenFolders.map((path) => `(deny file-read* file-write* (subpath ${text(path)}))`),
    ...covers.hiddenFiles.map((path) => `(deny file-read* file-write* (literal ${text(path)}))`),
  ];
  return ["(version 1)", "(allow default)", ...rules].join("\n");
}

function anyCase(path: string): string {
  const letters = path
    .replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")
    .replaceAll('"', ".") // would end the pattern
    .replaceAll(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
  return `#"^${letters}(/|$)"`;
}

function text(path: string): string {
  return `"${path.replaceAll(/["\\]/g, "\\$&")}"`;
}

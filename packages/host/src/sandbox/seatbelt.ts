// The shield on macOS: a Seatbelt profile that allows everything but a few paths. Pure.

import type { Covers } from "./bubblewrap.ts";

const PROGRAM = "/usr/bin/sandbox-exec";

/** `absent` are paths that must not come into being; Seatbelt can hold what does not exist, so nothing else is needed. */
export function seatbeltArgv(
  { covers, absent }: { readonly covers: Covers; readonly absent: readonly string[] },
  argv: readonly string[],
): string[] {
  return [PROGRAM, "-p", seatbeltProfile(covers, absent), ...argv];
}

/** The last rule that matches wins, so what is hidden comes last. */
export function seatbeltProfile(covers: Covers, absent: readonly string[]): string {
  const rules = [
    ...[...covers.readOnly, ...absent].map((path) => `(deny file-write* (subpath ${text(path)}))`),
    // A pinned folder may be written to; itself it can be neither renamed nor removed.
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

function text(path: string): string {
  return `"${path.replaceAll(/["\\]/g, "\\$&")}"`;
}

// The mask mounted over hidden files: a socket without a listener. Opening it fails, even for root, and git ignores it,
// so a hidden file is never committed as an empty one.

import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  ftruncateSync,
  futimesSync,
  linkSync,
  openSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { TrackedFile } from "../denied/git-index.ts";
import { createPrivateFile } from "../../files/private-file.ts";

export async function createMask(folder: string): Promise<string> {
  const path = join(folder, "mask");
  try {
    await createSocketFile(path, join(folder, "m"));
    chmodSync(path, 0);
  } catch {
    // The name is too long for a socket, or the file system has no sockets. An empty file works too.
    const { fd } = createPrivateFile(folder, "mask");
    fchmodSync(fd, 0);
    closeSync(fd);
  }
  return path;
}

/**
 * A file without content that git takes for one that it tracks and that has not changed: it compares times and sizes first. It
 * cannot be opened, except by root, for whom it is no mask.
 */
export function createLikeness(folder: string, file: TrackedFile): string {
  const path = join(folder, `like-${file.size}-${file.mtime}-${file.isExecutable ? "x" : ""}`);
  if (!existsSync(path)) imitate(path, file);
  return path;
}

/** `mode`: what may be done with it besides; `end`: its last bytes, if it is long enough. */
export function imitate(path: string, { size, mtime, isExecutable }: TrackedFile, { mode = 0, end = "" } = {}): void {
  const fd = openSync(path, "wx", 0o200);
  try {
    ftruncateSync(fd, size);
    if (end !== "" && size >= end.length) writeSync(fd, end, size - end.length);
    fchmodSync(fd, mode | (isExecutable ? 0o100 : 0));
    futimesSync(fd, mtime, mtime);
  } finally {
    closeSync(fd);
  }
}

/** Makes git compare nothing else but times and sizes. `count`: how many settings the environment has already. */
export function comparingLikenesses(count: number): readonly (readonly [name: string, value: string])[] {
  const settings = [
    ["core.checkStat", "minimal"],
    ["core.trustctime", "false"],
  ] as const;
  return [
    ["GIT_CONFIG_COUNT", String(count + settings.length)],
    ...settings.flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${count + at}`, key] as const,
      [`GIT_CONFIG_VALUE_${count + at}`, value] as const,
    ]),
  ];
}

/** Closing a socket removes its name, so link it to a second name first. */
async function createSocketFile(path: string, first: string): Promise<void> {
  const server = Bun.listen({ unix: first, socket: { data() {} } });
  try {
    linkSync(first, path);
  } finally {
    server.stop(true);
  }
}

// The mask mounted over hidden files: a socket without a listener. Opening it fails, even for root, and git ignores it,
// so a hidden file is never committed as an empty one.

import { chmodSync, closeSync, fchmodSync, linkSync } from "node:fs";
import { join } from "node:path";
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

/** Closing a socket removes its name, so link it to a second name first. */
async function createSocketFile(path: string, first: string): Promise<void> {
  const server = Bun.listen({ unix: first, socket: { data() {} } });
  try {
    linkSync(first, path);
  } finally {
    server.stop(true);
  }
}

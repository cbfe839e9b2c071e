// The mask mounted over hidden files: a socket without a listener. Opening it fails, even for root, and git ignores it,
// so a hidden file is never committed as an empty one.

import { chmodSync, closeSync, fchmodSync, linkSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPrivateFile } from "../../files/private-file.ts";
import { randomHex } from "../../random.ts";

export async function createMask(mark: string): Promise<string> {
  const path = join(realpathSync(tmpdir()), `keelson-mask-${mark}`);
  try {
    await createSocketFile(path);
    chmodSync(path, 0);
  } catch {
    // The name is too long for a socket, or the file system has no sockets. An empty file works too.
    const { fd } = createPrivateFile(realpathSync(tmpdir()), `keelson-mask-${mark}`);
    fchmodSync(fd, 0);
    closeSync(fd);
  }
  return path;
}

/** Closing a socket removes its name, so link it to a second name first. */
async function createSocketFile(path: string): Promise<void> {
  const first = join(realpathSync(tmpdir()), `keelson-${randomHex(8)}`);
  const server = Bun.listen({ unix: first, socket: { data() {} } });
  try {
    linkSync(first, path);
  } finally {
    server.stop(true);
  }
}

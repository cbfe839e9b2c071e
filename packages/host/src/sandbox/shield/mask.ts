// What lies over a hidden file: a socket nobody listens on. Opening it fails for everybody, root included, and git takes
// it for no file at all, so that a hidden file is never committed as an empty one.

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
    // Too long a name for a socket, or a file system without them. An empty file hides as well, if less clearly.
    const { fd } = createPrivateFile(tmpdir(), `keelson-mask-${mark}`);
    fchmodSync(fd, 0);
    closeSync(fd);
  }
  return path;
}

/** Closing a socket takes its name away, so it is given a second one first. */
async function createSocketFile(path: string): Promise<void> {
  const first = join(realpathSync(tmpdir()), `keelson-${randomHex(8)}`);
  const server = Bun.listen({ unix: first, socket: { data() {} } });
  try {
    linkSync(first, path);
  } finally {
    server.stop(true);
  }
}

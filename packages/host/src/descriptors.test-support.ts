// The files, pipes and sockets this process has open. Bun closes some of its descriptors on another thread, without an
// event, so tests compare inodes rather than counts and wait until the new ones are gone.

import { fstatSync, readdirSync } from "node:fs";

export function openInodes(): ReadonlySet<number> {
  return new Set(
    readdirSync("/dev/fd").flatMap((fd) => {
      try {
        return fstatSync(Number(fd)).ino;
      } catch {
        return []; // the descriptor of this very listing
      }
    }),
  );
}

// Opens the terminal of this process a second time, so that reading and writing never wait: the descriptors that were
// handed over are shared with other programs, whose reads and writes may have to wait.

import { closeSync, constants, fstatSync, openSync, readdirSync, statSync } from "node:fs";

export interface Device {
  readonly fd: number;
  /** Opened here, so that it is closed here and never waits. */
  readonly own: boolean;
  close(): void;
}

/** The terminal behind a descriptor; the descriptor itself if it cannot be opened, as after `su`. */
export function openDevice(inherited: number): Device {
  const flags = constants.O_RDWR | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
  for (const path of [deviceOf(inherited), "/dev/tty"]) {
    if (path === undefined) continue;
    try {
      const fd = openSync(path, flags);
      return { fd, own: true, close: () => closeSync(fd) };
    } catch {
      // Of another user, or there is none: the next one.
    }
  }
  return { fd: inherited, own: false, close: () => undefined };
}

function deviceOf(fd: number): string | undefined {
  if (process.platform === "linux") return `/proc/self/fd/${fd}`;
  if (process.platform === "win32") return undefined;
  try {
    const { rdev } = fstatSync(fd);
    const name = readdirSync("/dev").find((each) => each.startsWith("tty") && statSync(`/dev/${each}`).rdev === rdev);
    return name === undefined ? undefined : `/dev/${name}`;
  } catch {
    return undefined;
  }
}

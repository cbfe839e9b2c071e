// Guarded names that no mount can hold, because nothing is there or a link is: looked at when a command has ended.
// What a command put there is moved aside, never deleted, and told.

import { readlinkSync, renameSync, symlinkSync } from "node:fs";
import { randomHex } from "../random.ts";
import { look } from "./look.ts";

export interface Tripwire {
  /** What was moved aside, one sentence each. */
  check(): string[];
}

export function setTripwire(
  missing: readonly string[],
  links: readonly string[],
  isAccepted: (path: string) => boolean,
): Tripwire {
  const targets = links.map((path) => ({ path, target: readLink(path) }));
  return {
    check: () => [
      ...missing.filter((path) => exists(path) && !isAccepted(path)).map((path) => setAside(path)),
      ...targets
        .filter(({ path, target }) => target !== null && readLink(path) !== target)
        .map(({ path, target }) => {
          const told = exists(path)
            ? setAside(path)
            : `'${path}', a protected link, was removed by the command and put back.`;
          restore(path, target!);
          return told;
        }),
    ],
  };
}

function setAside(path: string): string {
  const aside = `${path}.set-aside-${randomHex(4)}`;
  try {
    renameSync(path, aside);
    return `The command wrote '${path}', which is protected: it was moved to '${aside}'.`;
  } catch (error) {
    return `The command wrote '${path}', which is protected, and it could not be moved away: ${(error as Error).message}`;
  }
}

function restore(path: string, target: string): void {
  try {
    symlinkSync(target, path);
  } catch {
    // Something new is there already, or the folder is gone; the sentence says what was seen.
  }
}

function exists(path: string): boolean {
  return look(path) !== null;
}

function readLink(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

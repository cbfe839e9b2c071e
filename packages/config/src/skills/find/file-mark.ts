// How a file looked when it was read, to tell whether it changed.

import { statSync, type Stats } from "node:fs";
import type { FileMark } from "../index/skill-index.ts";

export function lookAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** False if it cannot be told. */
export function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

export function isSameMark(before: FileMark | undefined, now: FileMark | undefined): boolean {
  if (before === undefined || now === undefined) return before === now;
  return before.ctimeMs === now.ctimeMs && before.size === now.size && before.ino === now.ino;
}

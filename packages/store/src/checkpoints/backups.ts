// The file copies of one session, named `<16 hex>@v<N>`. Equal bytes are stored once: a file that returns to an earlier
// state gets the name of that copy, and equal files share one copy on disk.

import { chmodSync, linkSync, lstatSync, mkdirSync, readdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { fileState, put } from "./file-state.ts";

export interface Backups {
  /** Keeps the bytes of a file and returns the name of the copy. */
  keep(path: string, bytes: Uint8Array, mode: number): { readonly name: string; readonly version: number };
  /** Undefined if the copy is gone. */
  read(name: string): Buffer | undefined;
  /** Removes all other copies. */
  retain(needed: ReadonlySet<string>): void;
  /** The size of all copies; shared ones count once. */
  readonly bytes: number;
}

interface Copy {
  readonly name: string;
  readonly key: string;
  readonly version: number;
  readonly size: number;
  readonly mode: number;
  readonly ino: number;
}

/** Comparing reads the other copy, so compare only a few. */
const MOST_COMPARED = 16;
const NAME = /^([0-9a-f]{16})@v(\d+)$/;

/** Reads the folder on first use. */
export function openBackups(dir: string): Backups {
  let index: Map<string, Copy> | undefined;
  const copies = () => (index ??= readIndex(dir));

  return {
    keep(path, bytes, mode) {
      const key = keyOf(path);
      // It must stay readable for us.
      const kept = mode | 0o600;
      const equal = equalCopies(dir, [...copies().values()], bytes, kept);
      const own = equal.find((copy) => copy.key === key);
      if (own) return { name: own.name, version: own.version };
      const version = 1 + Math.max(0, ...[...copies().values()].filter((it) => it.key === key).map((it) => it.version));
      const name = `${key}@v${version}`;
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      if (!linked(dir, equal[0]?.name, name)) put(join(dir, name), bytes, kept);
      const { ino } = lstatSync(join(dir, name));
      copies().set(name, { name, key, version, size: bytes.length, mode: kept, ino });
      return { name, version };
    },
    read(name) {
      const found = NAME.test(name) ? fileState(join(dir, name)) : undefined;
      return typeof found === "object" && found.kind === "file" ? found.bytes : undefined;
    },
    retain(needed) {
      for (const { name } of [...copies().values()]) {
        if (needed.has(name)) continue;
        try {
          unlinkSync(join(dir, name));
        } catch {
          // Already gone, or not removable. Ignore it either way.
        }
        copies().delete(name);
      }
    },
    get bytes() {
      const sizes = new Map([...copies().values()].map(({ ino, size }) => [ino, size]));
      return [...sizes.values()].reduce((sum, size) => sum + size, 0);
    },
  };
}

/** The first 16 hex digits of the SHA-256 of the path, as in the reference. */
export function keyOf(path: string): string {
  return new Bun.CryptoHasher("sha256").update(path).digest("hex").slice(0, 16);
}

function equalCopies(dir: string, copies: readonly Copy[], bytes: Uint8Array, mode: number): readonly Copy[] {
  const alike = copies.filter((copy) => copy.size === bytes.length && copy.mode === mode).slice(-MOST_COMPARED);
  return alike.filter(({ name }) => {
    const found = fileState(join(dir, name));
    return typeof found === "object" && found.kind === "file" && found.bytes.equals(bytes);
  });
}

function linked(dir: string, existing: string | undefined, name: string): boolean {
  if (existing === undefined) return false;
  try {
    linkSync(join(dir, existing), join(dir, name));
    return true;
  } catch {
    // The file system has no hard links, or the name is taken. Write a copy instead.
    return false;
  }
}

function readIndex(dir: string): Map<string, Copy> {
  const index = new Map<string, Copy>();
  for (const name of namesIn(dir)) {
    const match = NAME.exec(name);
    const stat = match ? lstatSync(join(dir, name), { throwIfNoEntry: false }) : undefined;
    if (!match || !stat?.isFile()) continue;
    const [, key = "", version] = match;
    index.set(name, { name, key, version: Number(version), size: stat.size, mode: stat.mode & 0o777, ino: stat.ino });
  }
  // Make the folder private again: copies may contain secrets.
  if (index.size > 0) chmodSync(dir, 0o700);
  return index;
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

// A short text that changes whenever a file does, for caches and for noticing edits.

export interface FileStats {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

/** Includes ctime because programs can set mtime back, but not ctime. */
export function fileStamp({ dev, ino, size, mtimeMs, ctimeMs }: FileStats): string {
  return `${dev} ${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}

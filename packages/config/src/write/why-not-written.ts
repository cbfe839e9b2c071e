// Says why a file could not be written, and what to do about it.

const FIXES: Readonly<Record<string, string>> = {
  EACCES: "check the owner and permissions of its folder",
  EPERM: "check the owner and permissions of its folder",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full; free some space",
  EDQUOT: "the disk quota is used up; free some space",
  ENOTDIR: "a part of its path is a file, not a folder",
};

/** `(EACCES); check …`, for the end of a sentence. */
export function whyNotWritten(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const fix = code === undefined ? undefined : FIXES[code];
  return `(${code ?? message})${fix === undefined ? "" : `; ${fix}`}`;
}

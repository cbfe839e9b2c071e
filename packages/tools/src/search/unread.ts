// What a search could not read. The rest of its result holds; the model is told what is missing. Pure.

export interface Unread {
  readonly path: string;
  readonly why: string;
}

/** Null if ripgrep complains about something else than files. What is gone since it was listed is not missed. */
export function unreadIn(stderr: string): readonly Unread[] | null {
  const lines = stderr.split("\n").filter((line) => line.startsWith("rg: "));
  const found = lines.map((line) => UNREAD.exec(line)?.groups);
  if (found.length === 0 || !found.every((groups) => groups !== undefined)) return null;
  return found
    .map(({ path, why }) => ({ path: path!, why: why! }))
    .filter(({ why }) => !why.startsWith("No such file"));
}

const UNREAD = /^rg: (?<path>.+?): (?:IO error for operation on .*: )?(?<why>[^:]+) \(os error \d+\)$/;

const MAX_UNREAD = 5;

/** For the model: what was not searched. Paths are as results show them. */
export function unreadNote(unread: readonly Unread[] | undefined): string {
  if (!unread || unread.length === 0) return "";
  const shown = unread.slice(0, MAX_UNREAD).map(({ path, why }) => `${path} (${why})`);
  const more = unread.length > MAX_UNREAD ? ` and ${unread.length - MAX_UNREAD} more` : "";
  return `(Not searched: ${shown.join(", ")}${more}.)`;
}

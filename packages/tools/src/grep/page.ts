// Paging: which items to show, where the rest begins, and what is missing because it could not be read.

const DEFAULT_LIMIT = 250;

export interface ResultPage<T> {
  readonly items: readonly T[];
  /** Set only if the limit cut something off. */
  readonly appliedLimit?: number;
  readonly appliedOffset?: number;
}

/** A limit of 0 means all. */
export function pageOf<T>(all: readonly T[], limit = DEFAULT_LIMIT, offset = 0): ResultPage<T> {
  const count = limit === 0 ? Infinity : limit;
  return {
    items: all.slice(offset, offset + count),
    ...(all.length - offset > count ? { appliedLimit: limit } : {}),
    ...(offset > 0 ? { appliedOffset: offset } : {}),
  };
}

export interface ShownPage extends Omit<ResultPage<unknown>, "items"> {
  readonly kind: "Files" | "Lines";
  readonly shown: number;
  readonly total: number;
  /** There may be more than the total. */
  readonly incomplete?: boolean;
}

/** For the model: which part this is, and how to get the next. Empty if it is all. */
export function pagingNote({ kind, shown, total, appliedLimit, appliedOffset = 0, incomplete }: ShownPage): string {
  if (appliedLimit === undefined && appliedOffset === 0) return "";
  const all = `${incomplete ? "at least " : ""}${total}`;
  if (shown === 0) return `(Offset ${appliedOffset} is past the end: there are ${all} ${kind.toLowerCase()}.)`;
  const end = appliedOffset + shown;
  const next = appliedLimit === undefined ? "" : ` The next offset is ${end}.`;
  const part = shown === 1 ? `${kind.slice(0, -1)} ${end}` : `${kind} ${appliedOffset + 1}–${end}`;
  return `(${part} of ${all}.${next})`;
}

export interface Unread {
  readonly path: string;
  readonly why: string;
}

const MAX_UNREAD = 5;

/** For the model: what was not searched. Paths are as results show them. */
export function unreadNote(unread: readonly Unread[] | undefined): string {
  if (!unread || unread.length === 0) return "";
  const shown = unread.slice(0, MAX_UNREAD).map(({ path, why }) => `${path} (${why})`);
  const more = unread.length > MAX_UNREAD ? ` and ${unread.length - MAX_UNREAD} more` : "";
  return `(Not searched: ${shown.join(", ")}${more}.)`;
}

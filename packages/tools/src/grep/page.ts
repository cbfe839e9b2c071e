// Paging: which items to show, which limit and offset were applied, and what is missing because it could not be read.

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

/** `limit: 3, offset: 2`, or an empty string. */
export function pagingNote({ appliedLimit, appliedOffset }: Omit<ResultPage<unknown>, "items">): string {
  return [
    ...(appliedLimit === undefined ? [] : [`limit: ${appliedLimit}`]),
    ...(appliedOffset === undefined ? [] : [`offset: ${appliedOffset}`]),
  ].join(", ");
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

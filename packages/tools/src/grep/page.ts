// Paging: which items to show, and which limit and offset were applied.

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

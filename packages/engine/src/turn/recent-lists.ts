// Finds a list that is equal to a new one, so that what was made from it need not be made again. A cache of lists that
// never change: forgetting them changes no answer.

/** The session's own, and those of a few kinds of subagents. */
const MOST = 4;

export class RecentLists<T> {
  #lists: readonly (readonly T[])[] = [];

  /** An earlier list with the same items, or this one. */
  like(list: readonly T[], isSame: (one: T, other: T) => boolean): readonly T[] {
    const known = this.#lists.find(
      (each) => each.length === list.length && each.every((item, index) => isSame(item, list[index]!)),
    );
    if (known && known === this.#lists[0]) return known;
    const first = known ?? list;
    this.#lists = [first, ...this.#lists.filter((each) => each !== first)].slice(0, MOST);
    return first;
  }
}

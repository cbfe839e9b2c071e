// The files and folders of the working directory, for suggestions while someone types. Listing a large project takes
// longer than the pause between two keys, so the list is kept, and made again in the background when it is old.

export interface FileIndexOptions {
  /** The paths of all files in a folder, relative to it. */
  list(root: string): Promise<readonly string[]>;
  now(): number;
}

interface Listed {
  readonly root: string;
  readonly paths: readonly string[];
  /** The same in lower case. */
  readonly spelled: readonly string[];
  readonly at: number;
}

/** Someone who just made a file expects to see it. */
const FRESH_MS = 2_000;

export class MentionIndex {
  readonly #options: FileIndexOptions;
  #listed: Listed | undefined;
  #listing: { readonly root: string; readonly done: Promise<Listed> } | undefined;

  constructor(options: FileIndexOptions) {
    this.#options = options;
  }

  /** The best matches, best first. Folders end with a slash. `isShown` is asked only about paths that would be among them. */
  async find(
    root: string,
    query: string,
    most: number,
    isShown: (path: string) => boolean,
  ): Promise<readonly string[]> {
    const known = this.#listed?.root === root ? this.#listed : undefined;
    const isFresh = known !== undefined && this.#options.now() - known.at < FRESH_MS;
    const listing = isFresh ? undefined : this.#list(root);
    // If listing fails, there is an older list, or nothing to suggest.
    listing?.catch(() => undefined);
    const found = known ? bestOf(known, query, most, isShown) : [];
    if (found.length > 0 || listing === undefined) return found;
    return bestOf(await listing, query, most, isShown);
  }

  #list(root: string): Promise<Listed> {
    if (this.#listing?.root === root) return this.#listing.done;
    const done = this.#options.list(root).then((files) => this.#keep(root, files));
    const own = { root, done };
    this.#listing = own;
    const over = () => {
      if (this.#listing === own) this.#listing = undefined;
    };
    done.then(over, over);
    return done;
  }

  #keep(root: string, files: readonly string[]): Listed {
    const paths = [...files, ...foldersOf(files)];
    this.#listed = { root, paths, spelled: paths.map((path) => path.toLowerCase()), at: this.#options.now() };
    return this.#listed;
  }
}

function foldersOf(files: readonly string[]): readonly string[] {
  const folders = new Set<string>();
  for (const file of files) {
    // Parents of a folder that is known are known.
    for (let at = file.lastIndexOf("/"); at > 0; at = file.lastIndexOf("/", at - 1)) {
      const folder = file.slice(0, at + 1);
      if (folders.size === folders.add(folder).size) break;
    }
  }
  return [...folders];
}

interface Ranked {
  readonly path: string;
  readonly rank: number;
}

const isBefore = (a: Ranked, b: Ranked) =>
  a.rank !== b.rank
    ? a.rank < b.rank
    : a.path.length !== b.path.length
      ? a.path.length < b.path.length
      : a.path < b.path;

/** One pass that keeps only the best: sorting all matches would take longer than finding them. */
function bestOf(
  { paths, spelled }: Listed,
  query: string,
  most: number,
  isShown: (path: string) => boolean,
): readonly string[] {
  const wanted = query.toLowerCase();
  const best: Ranked[] = [];
  for (let index = 0; index < paths.length; index++) {
    const rank = rankOf(spelled[index]!, wanted);
    if (rank === undefined) continue;
    const one = { path: paths[index]!, rank };
    const last = best.at(-1);
    if (best.length === most && last && !isBefore(one, last)) continue;
    if (!isShown(one.path)) continue;
    const at = best.findIndex((other) => isBefore(one, other));
    best.splice(at < 0 ? best.length : at, 0, one);
    if (best.length > most) best.pop();
  }
  return best.map(({ path }) => path);
}

/**
 * Both in lower case. Lower is better: the name is the query, starts with it or contains it, the path contains it, its
 * letters appear in order.
 */
export function rankOf(path: string, wanted: string): number | undefined {
  const end = path.endsWith("/") ? path.length - 1 : path.length;
  const name = path.lastIndexOf("/", end - 1) + 1;
  if (path.startsWith(wanted, name)) return wanted.length === end - name ? 0 : 1;
  const inside = path.lastIndexOf(wanted);
  if (inside >= name) return 2;
  if (inside >= 0) return 3;
  let at = 0;
  for (const letter of wanted) {
    at = path.indexOf(letter, at) + 1;
    if (at === 0) return undefined;
  }
  return 4;
}

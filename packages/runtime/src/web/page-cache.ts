// Keeps pages for a while, so that a second question about one does not fetch it again. Bounded in number and size.

const KEPT_MS = 15 * 60 * 1_000;
const MAX_PAGES = 50;
const MAX_SIZE = 20_000_000;

export interface PageCacheOptions<Page> {
  now(): number;
  sizeOf(page: Page): number;
}

export class PageCache<Page> {
  /** Oldest first. */
  readonly #pages = new Map<string, { readonly page: Page; readonly until: number }>();
  #size = 0;
  readonly #options: PageCacheOptions<Page>;

  constructor(options: PageCacheOptions<Page>) {
    this.#options = options;
  }

  get(url: string): Page | undefined {
    const found = this.#pages.get(url);
    if (found && found.until > this.#options.now()) return found.page;
    this.#delete(url);
    return undefined;
  }

  set(url: string, page: Page): void {
    this.#delete(url);
    this.#pages.set(url, { page, until: this.#options.now() + KEPT_MS });
    this.#size += this.#options.sizeOf(page);
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= MAX_PAGES && this.#size <= MAX_SIZE) break;
      this.#delete(oldest);
    }
  }

  clear(): void {
    this.#pages.clear();
    this.#size = 0;
  }

  #delete(url: string): void {
    const found = this.#pages.get(url);
    if (!found) return;
    this.#pages.delete(url);
    this.#size -= this.#options.sizeOf(found.page);
  }
}

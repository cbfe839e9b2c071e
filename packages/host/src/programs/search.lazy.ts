// Lazy twin of search.ts: a session that searches nothing never looks for ripgrep.

import type { Search } from "@keelson/engine";
import type { RipgrepOptions } from "./find-ripgrep.ts";

export function createSearch(options: RipgrepOptions): Search {
  let search: Promise<Search> | undefined;
  const load = async () => (await import("./search.ts")).createSearch(options);
  return { run: async (args, how) => (await (search ??= load())).run(args, how) };
}

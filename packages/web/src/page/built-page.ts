// Builds the pages from source. In the executable, this module is replaced with one that has them (scripts/compile.ts).

import type { BuiltPages } from "./page-file.ts";

export const builtPages = async (): Promise<BuiltPages> => (await import("./build-page.ts")).buildPages();

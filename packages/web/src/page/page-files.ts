// The files of a page. From source they are built when they are first asked for.

import { builtPages } from "./built-page.ts";
import { readyFiles, type PageFiles } from "./page-file.ts";

export const pageFiles = async (): Promise<PageFiles> => readyFiles((await builtPages()).page);
export const routinesPageFiles = async (): Promise<PageFiles> => readyFiles((await builtPages()).routines);

// The files of a page. From source they are built when they are first asked for.

import { builtPages } from "./built-page.ts";
import { readyFiles, type PageFiles } from "./page-file.ts";

export const pageFiles = async (): Promise<PageFiles> => readyFiles((await builtPages()).page);
/** For a document that is a page by itself. */
export async function exportPage(): Promise<{ readonly script: string; readonly style: string }> {
  const { export: files } = await builtPages();
  return { script: files["/export.js"]!.text, style: files["/export.css"]!.text };
}

export const routinesPageFiles = async (): Promise<PageFiles> => readyFiles((await builtPages()).routines);

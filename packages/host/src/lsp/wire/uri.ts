// File paths as language servers write them.

import { fileURLToPath, pathToFileURL } from "node:url";

export const uriOf = (path: string): string => pathToFileURL(path).href;

/** Absolute; an address that is no file of this machine stays as it is. Servers differ in how they escape. */
export function pathOf(uri: string): string {
  if (!uri.startsWith("file:")) return uri;
  try {
    return fileURLToPath(uri);
  } catch {
    return uri;
  }
}

// Finds a program on the PATH. Ignores relative entries, which would let the working directory choose what we run.

import { delimiter, isAbsolute } from "node:path";

export function findProgram(name: string, path: string | undefined): string | null {
  return Bun.which(name, { PATH: (path ?? "").split(delimiter).filter(isAbsolute).join(delimiter) });
}

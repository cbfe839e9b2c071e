// A program on the PATH. Relative entries do not count: they would let the working directory choose what we run.

import { delimiter, isAbsolute } from "node:path";

export function findProgram(name: string, path: string | undefined): string | null {
  return Bun.which(name, { PATH: (path ?? "").split(delimiter).filter(isAbsolute).join(delimiter) });
}

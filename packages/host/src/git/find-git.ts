// Finds the git program on the PATH.

import { delimiter, isAbsolute } from "node:path";

/** Not one from the project: `npm run` puts its folder of programs first. */
export function findGit(
  env: Readonly<Record<string, string | undefined>>,
  projectFolders: readonly string[],
): string | undefined {
  const isForeign = (folder: string) =>
    isAbsolute(folder) && !projectFolders.some((each) => folder === each || folder.startsWith(`${each}/`));
  const path = (env["PATH"] ?? "").split(delimiter).filter(isForeign).join(delimiter);
  return Bun.which("git", { PATH: path }) ?? undefined;
}
